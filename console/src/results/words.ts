import type { ValueFormat } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { formatNumber } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { formatOptions, nameOfRow, type ResultRow } from "./series.ts";

/** Returns the name of a row in the chosen language. */
export function rowName(row: ResultRow): string {
  return nameOfRow(row, { noValue: t("query.noValue"), compared: t("query.compared") });
}

export function valueText(value: number | undefined, format: ValueFormat): string {
  return value === undefined ? "–" : formatNumber(value, formatOptions(format));
}
