import { useMemo } from "preact/hooks";
import { ValueFormat } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { BucketChart } from "../../../chart/bucket-chart.tsx";
import type { BucketSeries } from "../../../chart/series.ts";
import { labelsOf, type ResultRow, type ResultTable } from "../../../results/series.ts";
import type { Point } from "../../../results/snapshot.ts";
import { rowName, valueText } from "../../../results/words.ts";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";

/** More lines cannot be told from each other; the table has all. */
const maxSeries = 24;

interface SeriesChartProps {
  readonly kind: "lines" | "bars";
  readonly table: ResultTable;
  readonly onPoint: (point: Point) => void;
}

/** The first rows of a result as a chart. Rows of the comparison are drawn over their own days, which stand above. */
export function SeriesChart({ kind, table, onPoint }: SeriesChartProps) {
  const rows = table.rows.slice(0, maxSeries);
  const series = useMemo(() => seriesOf(rows), [table]);
  // An axis of numbers in several formats has the format that all numbers can have.
  const isOneFormat = rows.every(({ format }) => format === rows[0]?.format);
  const format = isOneFormat ? rows[0]!.format : ValueFormat.UNSPECIFIED;
  return (
    <>
      {rows.length < table.rows.length && (
        <p class="muted">
          {t("query.firstSeries", {
            shown: formatNumber(rows.length),
            all: formatNumber(table.rows.length),
          })}
        </p>
      )}
      <BucketChart
        label={t("query.chart")}
        kind={kind}
        labels={table.labels}
        comparedLabels={table.comparedLabels}
        series={series}
        formatAxis={(value) => valueText(value, format)}
        onPoint={(index, bucket) => {
          const row = rows[index];
          const label = row && labelsOf(table, row)[bucket];
          if (row !== undefined && label !== undefined)
            onPoint({ row, bucket: label, value: row.values[bucket] });
        }}
      />
    </>
  );
}

/** A row of the comparison has the colour of the row before it, with which it is compared. */
function seriesOf(rows: readonly ResultRow[]): readonly BucketSeries[] {
  let color = -1;
  return rows.map((row) => {
    if (!row.isCompared) color++;
    return {
      label: rowName(row),
      values: row.values,
      isCompared: row.isCompared,
      color,
      formatValue: (value) => valueText(value, row.format),
    };
  });
}
