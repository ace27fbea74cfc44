import { useSignal } from "@preact/signals";
import { labelOf, labelsOf, type ResultRow, type ResultTable } from "../../../results/series.ts";
import type { Point } from "../../../results/snapshot.ts";
import { rowName, valueText } from "../../../results/words.ts";
import { t } from "../../../texts/texts.ts";
import { partOf } from "../result/parts.ts";
import { PartPager } from "./part-pager.tsx";

const rowsPerPart = 50;
const bucketsPerPart = 62;

interface ResultGridProps {
  readonly table: ResultTable;
  readonly onPoint: (point: Point) => void;
}

const steps: Readonly<Record<string, readonly [rows: number, buckets: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * All numbers of a result: a row for each metric and group, a column for each bucket. Each number is a button for its
 * users; Tab enters the table and the arrows move in it.
 */
export function ResultGrid({ table, onPoint }: ResultGridProps) {
  const firstRow = useSignal(0);
  const firstBucket = useSignal(0);
  const rows = partOf(table.rows, firstRow.value, rowsPerPart);
  const count = Math.max(table.labels.length, table.comparedLabels.length);
  const buckets = partOf(
    Array.from({ length: count }, (_, i) => i),
    firstBucket.value,
    bucketsPerPart,
  );
  const hasSplit = table.rows.some(({ split }) => split !== undefined);
  return (
    <div class="stack">
      {/* biome-ignore lint/a11y/useSemanticElements: a group of the table, which scrolls sideways. */}
      <div
        class="table-scroll query-grid"
        role="group"
        aria-label={t("query.table.caption")}
        onKeyDown={move}
      >
        <table class="table">
          <caption class="hidden-text">{t("query.table.caption")}</caption>
          <GridHead table={table} buckets={buckets} hasSplit={hasSplit} />
          <tbody>
            {rows.map((row, i) => (
              <GridRow
                key={row.key}
                table={table}
                row={row}
                index={i}
                buckets={buckets}
                hasSplit={hasSplit}
                onPoint={onPoint}
              />
            ))}
          </tbody>
        </table>
      </div>
      <PartPager
        label={t("query.rows")}
        first={firstRow.value}
        size={rowsPerPart}
        count={table.rows.length}
        onFirst={(first) => {
          firstRow.value = first;
        }}
      />
      <PartPager
        label={t("query.buckets")}
        first={firstBucket.value}
        size={bucketsPerPart}
        count={count}
        onFirst={(first) => {
          firstBucket.value = first;
        }}
      />
    </div>
  );
}

interface GridHeadProps {
  readonly table: ResultTable;
  readonly buckets: readonly number[];
  readonly hasSplit: boolean;
}

function GridHead({ table, buckets, hasSplit }: GridHeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col">{t("query.metric.column")}</th>
        {table.groupNames.map((name, i) => (
          <th key={i} scope="col">
            {name}
          </th>
        ))}
        {hasSplit && <th scope="col">{t("query.split.column")}</th>}
        {buckets.map((bucket) => (
          <th key={bucket} scope="col" class="end">
            {table.labels[bucket]}
            {table.comparedLabels[bucket] !== undefined && (
              <span class="query-compared">{table.comparedLabels[bucket]}</span>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface GridRowProps extends ResultGridProps {
  readonly row: ResultRow;
  readonly index: number;
  readonly buckets: readonly number[];
  readonly hasSplit: boolean;
}

function GridRow({ table, row, index, buckets, hasSplit, onPoint }: GridRowProps) {
  const name = rowName(row);
  return (
    <tr>
      <th scope="row">
        {row.metric}
        {row.isCompared && <span class="muted"> · {t("query.compared")}</span>}
      </th>
      {row.group.map((label, i) => (
        // Groups keep their places.
        <td key={i}>{label ?? <em>{t("query.noValue")}</em>}</td>
      ))}
      {hasSplit && <td>{row.split && (labelOf(row.split) ?? <em>{t("query.noValue")}</em>)}</td>}
      {buckets.map((bucket, i) => {
        const label = labelsOf(table, row)[bucket];
        const value = row.values[bucket];
        const text = valueText(value, row.format);
        return (
          <td key={bucket} class="end">
            {label !== undefined && (
              <button
                type="button"
                class="query-cell"
                data-at={`${index},${i}`}
                tabIndex={index === 0 && i === 0 ? 0 : -1}
                aria-label={t("query.users.of", { name, bucket: label, value: text })}
                onClick={() => onPoint({ row, bucket: label, value })}
              >
                {text}
              </button>
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** Moves the focus between numbers. */
function move(event: KeyboardEvent): void {
  const step = steps[event.key];
  const cell = event.target as HTMLElement;
  const place = cell.dataset["at"]?.split(",").map(Number);
  if (step === undefined || place === undefined) return;
  event.preventDefault();
  const [row = 0, bucket = 0] = place;
  const next = `${row + step[0]},${bucket + step[1]}`;
  (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus();
}
