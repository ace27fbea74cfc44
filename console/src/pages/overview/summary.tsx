import type { ComponentChildren } from "preact";
import { Time } from "../../controls/time.tsx";
import { formatAge, formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import type { Totals } from "./totals.ts";

export interface SummaryProps {
  readonly totals: Totals;
  readonly oldestMs: number | undefined;
  readonly nowMs: number;
}

/** The counts of all channels together. */
export function Summary({ totals, oldestMs, nowMs }: SummaryProps) {
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
    </dl>
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
