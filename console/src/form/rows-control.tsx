import { Button } from "../controls/button.tsx";
import { t } from "../texts/texts.ts";
import "./form.css";

type Cells = Readonly<Record<string, string>>;

export interface RowsControlProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
  readonly onChange: (rows: readonly Cells[]) => void;
  readonly limits?: string | undefined;
  readonly error?: string | undefined;
}

/** Rows of texts, such as items with their counts. */
export function RowsControl({ label, columns, rows, onChange, limits, error }: RowsControlProps) {
  return (
    <fieldset class="form-rows">
      <legend>{label}</legend>
      {rows.map((row, i) => (
        // Rows keep their places while they are edited.
        <div key={i} class="form-row">
          {columns.map((column) => (
            <input
              key={column}
              class="input"
              placeholder={column}
              aria-label={t("form.cell", { column, number: String(i + 1) })}
              value={row[column] ?? ""}
              onInput={({ currentTarget }) =>
                onChange(rows.with(i, { ...row, [column]: currentTarget.value }))
              }
            />
          ))}
          <Button
            kind="quiet"
            label={t("form.removeEntry", { label, number: String(i + 1) })}
            onClick={() => onChange(rows.toSpliced(i, 1))}
          >
            {t("form.remove")}
          </Button>
        </div>
      ))}
      <div class="row">
        <Button label={t("form.addEntry", { label })} onClick={() => onChange([...rows, {}])}>
          {t("form.add")}
        </Button>
        {limits !== undefined && <span class="muted">{limits}</span>}
      </div>
      {error !== undefined && <span class="form-fault">{error}</span>}
    </fieldset>
  );
}
