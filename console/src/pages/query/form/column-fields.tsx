import { t } from "../../../texts/texts.ts";
import { columnsOf, tables } from "../data/names.ts";
import type { ColumnType } from "../state/rules.ts";
import { type Place, textAt } from "../state/tree.ts";
import { type QueryForm, TextField, WordField } from "./query-form.tsx";

interface ColumnFieldsProps {
  readonly form: QueryForm;
  /** The object with the members `tableType` and `columnName`. */
  readonly owner: Place;
  readonly types?: readonly ColumnType[];
}

/** The table and the name of a column. */
export function ColumnFields({ form, owner, types }: ColumnFieldsProps) {
  const table = textAt(form.tree, [...owner, "tableType"]);
  return (
    <>
      <WordField
        form={form}
        place={[...owner, "tableType"]}
        label={t("query.table")}
        choices={tables.map((value) => ({ value, text: t(`query.table.${value}`) }))}
      />
      <TextField
        form={form}
        place={[...owner, "columnName"]}
        label={t(table === "cluster" || table === "user_cluster" ? "query.cohort" : "query.property")}
        suggestions={columnsOf(form.names, table, types)}
      />
    </>
  );
}

interface QuotaFieldProps {
  readonly form: QueryForm;
  readonly metric: Place;
  readonly types: readonly ColumnType[];
}

/** The property that a metric aggregates, of the types that the aggregation takes. */
export function QuotaField({ form, metric, types }: QuotaFieldProps) {
  return (
    <TextField
      form={form}
      place={[...metric, "quota"]}
      label={t("query.property")}
      limits={t("query.quota.limits", { types: types.map((type) => t(`query.type.${type}`)).join(", ") })}
      suggestions={columnsOf(form.names, "event", types)}
    />
  );
}
