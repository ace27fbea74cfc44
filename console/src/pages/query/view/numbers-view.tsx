import { labelsOf, type ResultTable } from "../../../results/series.ts";
import type { Point } from "../../../results/snapshot.ts";
import { rowName, valueText } from "../../../results/words.ts";
import { t } from "../../../texts/texts.ts";

/** More numbers are read in the table. */
const maxNumbers = 60;

interface NumbersViewProps {
  readonly table: ResultTable;
  readonly onPoint: (point: Point) => void;
}

/** The latest number of each row, large. */
export function NumbersView({ table, onPoint }: NumbersViewProps) {
  return (
    <ul class="query-numbers">
      {table.rows.slice(0, maxNumbers).map((row) => {
        const labels = labelsOf(table, row);
        const bucket = labels.at(-1);
        if (bucket === undefined) return null;
        const value = row.values[labels.length - 1];
        const text = valueText(value, row.format);
        return (
          <li key={row.key}>
            <span class="muted">{rowName(row)}</span>
            <button
              type="button"
              class="query-number"
              aria-label={t("query.users.of", { name: rowName(row), bucket, value: text })}
              onClick={() => onPoint({ row, bucket, value })}
            >
              {text}
            </button>
            <span class="muted">{bucket}</span>
          </li>
        );
      })}
    </ul>
  );
}
