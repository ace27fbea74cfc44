import { columnsOf } from "../../../filters/column-names.ts";
import { TextField } from "../../../filters/filter-form.tsx";
import type { ColumnType } from "../../../filters/rules.ts";
import type { Place } from "../../../filters/tree.ts";
import { t } from "../../../texts/texts.ts";
import type { QueryForm } from "./query-form.ts";

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
      label={t("filter.property")}
      limits={t("query.quota.limits", { types: types.map((type) => t(`query.type.${type}`)).join(", ") })}
      suggestions={columnsOf(form.names, "event", types)}
    />
  );
}
