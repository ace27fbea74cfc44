import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Project } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import {
  RecordVerdict,
  RecordWatcher,
  type WatchedRecord,
} from "../../../../gen/engage/event/v1/record_watcher_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { Field, Select } from "../../controls/field.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { Time } from "../../controls/time.tsx";
import { setQuery } from "../../router/router.ts";
import { type TailPart, useTail } from "../../rpc/tail.ts";
import { clientOf } from "../../rpc/transport.ts";
import { t, tn } from "../../texts/texts.ts";

const client = clientOf(RecordWatcher);

const verdicts = {
  accepted: RecordVerdict.ACCEPTED,
  dropped: RecordVerdict.PROPERTIES_DROPPED,
  refused: RecordVerdict.REFUSED,
  repeated: RecordVerdict.REPEATED,
} as const;

type VerdictName = keyof typeof verdicts;

const names = Object.keys(verdicts) as VerdictName[];
const tones: Readonly<Record<VerdictName, Tone>> = {
  accepted: "good",
  dropped: "warn",
  refused: "bad",
  repeated: "plain",
};

/** A record with a number of its own, since records may be equal. */
interface Row {
  readonly number: number;
  readonly record: WatchedRecord;
}

interface Filters {
  readonly event: string;
  readonly verdict: string;
}

let rowsSoFar = 0;

async function* watch(
  projectId: bigint,
  filters: Filters,
  signal: AbortSignal,
): AsyncGenerator<TailPart<Row>> {
  const verdict = names.find((name) => name === filters.verdict);
  const request = {
    projectId,
    eventNames: filters.event === "" ? [] : [filters.event],
    verdicts: verdict === undefined ? [] : [verdicts[verdict]],
  };
  for await (const { records, skipped } of client.watchRecords(request, { signal })) {
    yield { rows: records.map((record) => ({ number: rowsSoFar++, record })), skipped: Number(skipped) };
  }
}

interface RecordTailProps extends Pick<PageProps, "query"> {
  readonly project: Project;
}

/** The records of a project while they come in, each with what became of it. */
export function RecordTail({ project, query }: RecordTailProps) {
  const { projectId, zone } = project;
  const filters: Filters = { event: query.get("event") ?? "", verdict: query.get("verdict") ?? "" };
  const tail = useTail(`${projectId} ${filters.event} ${filters.verdict}`, (signal) =>
    watch(projectId, filters, signal),
  );
  const { rows, skipped, fault } = tail;
  const clear = (
    <Button kind="quiet" onClick={tail.clear}>
      {t("events.clear")}
    </Button>
  );
  return (
    <Card title={t("events.tab.live")} actions={clear}>
      <search class="filters">
        <Field
          label={t("events.event")}
          value={filters.event}
          onInput={(value) => setQuery({ event: value })}
        />
        <Select
          label={t("events.verdict")}
          value={filters.verdict}
          options={["" as const, ...names].map((value) => ({
            value,
            text: t(value === "" ? "events.verdict.all" : `events.verdict.${value}`),
          }))}
          onChange={(value) => setQuery({ verdict: value })}
        />
      </search>
      {fault.value !== undefined && <FaultNote fault={fault.value} />}
      {skipped.value > 0 && <p class="card-line muted">{tn("events.skipped", skipped.value)}</p>}
      {rows.value.length === 0 && <p class="card-line muted">{t("events.waiting")}</p>}
      <ol class="events-tail">
        {rows.value.map(({ number, record }) => (
          <li key={number}>
            <RecordView record={record} zone={zone} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function RecordView({ record, zone }: { readonly record: WatchedRecord; readonly zone: string }) {
  const { receivedTime, type, eventName, verdict, json, dropped, refused, repeatedId } = record;
  const name = names.find((one) => verdicts[one] === verdict) ?? "accepted";
  return (
    <details>
      <summary>
        {receivedTime !== undefined && <Time ms={timestampMs(receivedTime)} zone={zone} />}
        <Badge tone={tones[name]}>{t(`events.verdict.${name}`)}</Badge>
        <strong>{eventName || type}</strong>
        {refused !== undefined && <span>{refused.message}</span>}
        {repeatedId !== "" && <code>{repeatedId}</code>}
        {dropped.length > 0 && <span>{dropped.map((one) => one.name).join(", ")}</span>}
      </summary>
      {dropped.map((one) => (
        <p key={one.name}>
          <strong>{one.name}</strong> {one.message}
        </p>
      ))}
      <JsonView text={json} label={eventName || type} />
    </details>
  );
}
