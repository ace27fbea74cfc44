import { durationMs } from "@bufbuild/protobuf/wkt";
import type { ComponentChildren } from "preact";
import type { EventLag } from "../../../../gen/engage/operations/v1/settings_pb.ts";
import { Time } from "../../controls/time.tsx";
import { formatAge, formatBytes, formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import type { Totals } from "./totals.ts";

export interface SummaryProps {
  readonly totals: Totals;
  readonly oldestMs: number | undefined;
  /** Undefined while it is unknown. */
  readonly lag: EventLag | undefined;
  readonly nowMs: number;
}

/** The counts of all channels together. */
export function Summary({ totals, oldestMs, lag, nowMs }: SummaryProps) {
  return (
    <dl class="summary">
      <Item name={t("overview.accepted")}>{formatNumber(totals.accepted)}</Item>
      <Item name={t("overview.delivered")}>{formatNumber(totals.delivered)}</Item>
      <Item name={t("overview.pending")}>{formatNumber(totals.pending)}</Item>
      <Item name={t("overview.dead")} isBad={totals.dead > 0n}>
        {formatNumber(totals.dead)}
      </Item>
      <Item name={t("overview.oldest")} note={oldestMs !== undefined && <Time ms={oldestMs} />}>
        {oldestMs === undefined ? t("overview.none") : formatAge(oldestMs, nowMs)}
      </Item>
      {lag !== undefined && <Loader lag={lag} />}
    </dl>
  );
}

/** The records that the event store has not loaded. */
function Loader({ lag }: { readonly lag: EventLag }) {
  const { approximateRecords: records, waitingBytes } = lag;
  if (waitingBytes === 0n) return <Item name={t("overview.loader")}>{t("overview.none")}</Item>;
  const size = formatBytes(waitingBytes);
  const seconds = formatNumber(Math.round(lag.lag === undefined ? 0 : durationMs(lag.lag) / 1_000));
  return (
    <Item name={t("overview.loader")} note={t("overview.loader.behind", { size, seconds })}>
      {records === undefined ? size : t("overview.loader.about", { count: formatNumber(records) })}
    </Item>
  );
}

interface ItemProps {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly isBad?: boolean;
}

function Item({ name, children, note, isBad = false }: ItemProps) {
  return (
    <div class={isBad ? "item bad" : "item"}>
      <dt>{name}</dt>
      <dd class="number">{children}</dd>
      {note !== undefined && note !== false && <dd class="note-line">{note}</dd>}
    </div>
  );
}
