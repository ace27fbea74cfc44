import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import {
  type HealthPart,
  HealthState,
  type Settings,
} from "../../../../gen/engage/operations/v1/settings_pb.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { FactList } from "../../controls/fact-list.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { useLive } from "../../rpc/live.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { serverUrl } from "../../rpc/transport.ts";
import { t } from "../../texts/texts.ts";

/** A state of a newer server counts as not known. */
const states = ["unknown", "ok", "degraded", "failed"] as const;
const tones: Readonly<Record<(typeof states)[number], Tone>> = {
  unknown: "plain",
  ok: "good",
  degraded: "warn",
  failed: "bad",
};

/** Whether each part of the server works, live, and which version runs. */
export function HealthView({ client }: { readonly client: Client<typeof Settings> }) {
  const live = useLive("health", (signal) => client.getHealth({}, { signal }));
  const version = useLoaded("version", (signal) => client.getVersion({}, { signal }));
  const columns: readonly Column<HealthPart>[] = [
    { name: "name", title: t("settings.part"), isHeading: true, cell: ({ name }) => name },
    { name: "state", title: t("settings.state"), cell: ({ state }) => <State state={state} /> },
    { name: "reason", title: t("settings.reason"), cell: ({ reason }) => reason },
  ];
  return (
    <div class="settings-parts">
      <Loaded data={live.data.value} fault={live.fault.value} onRetry={live.refresh}>
        {({ ready, parts }) => (
          <Card
            title={t("settings.tab.health")}
            actions={
              <Badge tone={ready ? "good" : "bad"}>{t(ready ? "settings.ready" : "settings.notReady")}</Badge>
            }
          >
            <Table
              caption={t("settings.tab.health")}
              columns={columns}
              rows={parts}
              keyOf={({ name }) => name}
            />
          </Card>
        )}
      </Loaded>
      {version.data !== undefined && (
        <Card title={t("settings.server")} isPadded>
          <FactList
            facts={[
              [t("settings.version"), version.data.version],
              [t("settings.node"), version.data.nodeVersion],
              [
                t("settings.started"),
                version.data.startedTime && (
                  <Time ms={timestampMs(version.data.startedTime)} nowMs={Date.now()} />
                ),
              ],
            ]}
          />
          <p>
            <a href={`${serverUrl}/docs`}>{t("settings.docs")}</a> ·{" "}
            <a href={`${serverUrl}/metrics`}>{t("settings.metrics")}</a>
          </p>
        </Card>
      )}
    </div>
  );
}

function State({ state }: { readonly state: HealthState }) {
  const name = states[state] ?? states[HealthState.UNSPECIFIED];
  return <Badge tone={tones[name]}>{t(`settings.state.${name}`)}</Badge>;
}
