import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { DeliveryEvent, MessagesAttempted } from "../../../../gen/engage/webhook/v1/watch_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { Badge } from "../../controls/badge.tsx";
import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { Time } from "../../controls/time.tsx";
import { type TailPart, useTail } from "../../rpc/tail.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { FilterForm, type Names } from "./filter-form.tsx";
import { type Filters, readFilters } from "./filters.ts";
import { BatchLink } from "./links.tsx";
import { nameOfOutcome, outcomeTones } from "./states.ts";

/** An event with a number of its own, since events may be equal. */
interface Row {
  readonly number: number;
  readonly event: DeliveryEvent;
}

let rowsSoFar = 0;

async function* watch({ channel, target }: Filters, signal: AbortSignal): AsyncGenerator<TailPart<Row>> {
  for await (const { events, skipped } of client.watchDeliveries({ channel, target }, { signal })) {
    yield { rows: events.map((event) => ({ number: rowsSoFar++, event })), skipped: Number(skipped) };
  }
}

interface DeliveryTailProps extends Pick<PageProps, "query"> {
  readonly names: Names;
}

/** Accepted batches and attempts while they happen. */
export function DeliveryTail({ query, names }: DeliveryTailProps) {
  const filters = readFilters(query);
  const tail = useTail(JSON.stringify([filters.channel, filters.target]), (signal) => watch(filters, signal));
  const { rows, skipped, fault } = tail;
  const clear = (
    <Button kind="quiet" onClick={tail.clear}>
      {t("deliveries.clear")}
    </Button>
  );
  return (
    <Card title={t("deliveries.tab.live")} actions={clear}>
      <FilterForm filters={filters} names={names} shown={["channel", "target"]} />
      <p class="card-line muted">{t("deliveries.live.replica")}</p>
      {fault.value !== undefined && <FaultNote fault={fault.value} />}
      {skipped.value > 0 && <p class="card-line">{tn("deliveries.skipped", skipped.value)}</p>}
      {rows.value.length === 0 && <p class="card-line muted">{t("deliveries.waiting")}</p>}
      <ol class="deliveries-tail">
        {rows.value.map(({ number, event }) => (
          <li key={number} class="row">
            <EventView event={event} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function EventView({ event }: { readonly event: DeliveryEvent }) {
  const { time, channel, batchId, event: what } = event;
  return (
    <>
      {time !== undefined && <Time ms={timestampMs(time)} />}
      {what.case === "accepted" && (
        <>
          <Badge tone="plain">{t("deliveries.event.accepted")}</Badge>
          <span>{tn("deliveries.event.messages", what.value.acceptedCount)}</span>
          {what.value.failedCount > 0 && <span>{tn("deliveries.event.failed", what.value.failedCount)}</span>}
        </>
      )}
      {what.case === "attempted" && <Attempted attempted={what.value} />}
      <span>{channel}</span>
      <BatchLink id={batchId} />
    </>
  );
}

function Attempted({ attempted }: { readonly attempted: MessagesAttempted }) {
  const { target, indexes, attempt, outcome, reason, status, duration } = attempted;
  const name = nameOfOutcome(outcome);
  return (
    <>
      <Badge tone={outcomeTones[name]}>{t(`deliveries.outcome.${name}`)}</Badge>
      <strong>{target}</strong>
      <span>{tn("deliveries.event.messages", indexes.length)}</span>
      <span class="muted">{t("deliveries.attempt", { number: formatNumber(attempt) })}</span>
      {duration !== undefined && (
        <span class="muted">
          {t("deliveries.ms", { ms: formatNumber(durationMs(duration), { maximumFractionDigits: 1 }) })}
        </span>
      )}
      {status !== undefined && <code>HTTP {status}</code>}
      {reason !== "" && <LongText text={reason} />}
    </>
  );
}
