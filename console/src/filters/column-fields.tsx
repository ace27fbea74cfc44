import { t } from "../texts/texts.ts";
import { columnsOf } from "./column-names.ts";
import { type FilterForm, TextField, WordField } from "./filter-form.tsx";
import type { ColumnType } from "./rules.ts";
import { type Place, textAt } from "./tree.ts";

interface ColumnFieldsProps {
  readonly form: FilterForm;
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
        label={t("filter.table")}
        choices={form.tables.map((value) => ({ value, text: t(`filter.table.${value}`) }))}
      />
      <TextField
        form={form}
        place={[...owner, "columnName"]}
        label={t(table === "cluster" || table === "user_cluster" ? "filter.cohort" : "filter.property")}
        suggestions={columnsOf(form.names, table, types)}
      />
    </>
  );
}
