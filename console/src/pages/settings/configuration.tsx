import type { Client } from "@connectrpc/connect";
import {
  type Setting,
  type SettingSource,
  type Settings,
  SourceKind,
} from "../../../../gen/engage/operations/v1/settings_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { Field } from "../../controls/field.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { setQuery } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { t } from "../../texts/texts.ts";
import { matching } from "./matching.ts";

interface ConfigurationViewProps {
  readonly client: Client<typeof Settings>;
  /** Shows the settings whose path contains it. */
  readonly path: string;
}

/** Every setting in effect with its source; the server hides secrets. */
export function ConfigurationView({ client, path }: ConfigurationViewProps) {
  const { data, fault, reload } = useLoaded("configuration", (signal) =>
    client.getConfiguration({}, { signal }),
  );
  const columns: readonly Column<Setting>[] = [
    {
      name: "path",
      title: t("settings.path"),
      isHeading: true,
      cell: (setting) => <code>{setting.path}</code>,
    },
    { name: "value", title: t("settings.value"), cell: (setting) => <Value setting={setting} /> },
    { name: "source", title: t("settings.source"), cell: ({ source }) => sourceText(source) },
  ];
  return (
    <Card title={t("settings.tab.configuration")}>
      <div class="settings-filter">
        <Field
          label={t("settings.filter")}
          type="search"
          value={path}
          onInput={(value) => setQuery({ path: value })}
        />
        {data !== undefined && data.file !== "" && <p class="muted">{data.file}</p>}
      </div>
      <Loaded data={data} fault={fault} onRetry={reload}>
        {({ settings }) => (
          <Table
            caption={t("settings.tab.configuration")}
            columns={columns}
            rows={matching(settings, path)}
            keyOf={(setting) => setting.path}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Value({ setting }: { readonly setting: Setting }) {
  if (setting.hidden) return <Badge tone="plain">{t("settings.hidden")}</Badge>;
  return (
    <>
      <JsonView text={setting.json} label={setting.path} />
      {setting.shortened && <span class="muted">{t("settings.shortened")}</span>}
    </>
  );
}

function sourceText(source: SettingSource | undefined): string {
  const { kind, file = "", line = 0, variable = "", secretFile = "" } = source ?? {};
  const from = fromText(kind, file, line, variable);
  return secretFile === "" ? from : t("settings.source.secret", { from, file: secretFile });
}

function fromText(kind: SourceKind | undefined, file: string, line: number, variable: string): string {
  if (kind === SourceKind.FILE) return line > 0 ? `${file}:${line}` : file;
  if (kind === SourceKind.ENVIRONMENT) return variable;
  return t("settings.source.default");
}
