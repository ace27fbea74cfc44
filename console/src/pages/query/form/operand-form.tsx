import { Field, Select } from "../../../controls/field.tsx";
import { t } from "../../../texts/texts.ts";
import { columnsOf } from "../data/names.ts";
import { pathOf, withCounted, withWindow } from "../state/edits.ts";
import { elementsAt, type Place, textAt } from "../state/tree.ts";
import { type QueryForm, TextField } from "./query-form.tsx";

const windows = ["", "LAST_DAYS", "RECENT_DAYS", "THIS_WEEK", "THIS_MONTH", "TIME_RANGE"] as const;

/** Returns the number of parameters of a window. */
const parametersOf: Readonly<Record<string, number>> = { LAST_DAYS: 1, RECENT_DAYS: 1, TIME_RANGE: 2 };

interface OperandFormProps {
  readonly form: QueryForm;
  readonly metric: Place;
}

/** What a plain metric counts as a user, and over which days. For formulas the JSON has these for each operand. */
export function OperandForm({ form, metric }: OperandFormProps) {
  const { tree, names } = form;
  const entity: Place = [...metric, "quotaEntities", 0, "taIdMeasure", "columnName"];
  const window: Place = [...metric, "quotaTimeRanges", 0];
  const type = textAt(tree, [...window, "type"]);
  const parameters = parametersOf[type] ?? 0;
  return (
    <div class="query-fields">
      <Field
        label={t("query.counted")}
        limits={t("query.counted.limits")}
        value={textAt(tree, entity)}
        error={form.errorAt(pathOf(entity))}
        suggestions={columnsOf(names, "event")}
        onInput={(text) => form.change(withCounted(tree, metric, text))}
      />
      <Select
        label={t("query.window")}
        value={type}
        options={windows.map((value) => ({ value, text: t(`query.window.${value || "bucket"}`) }))}
        error={form.errorAt(pathOf([...window, "type"]))}
        onChange={(word) => form.change(withWindow(tree, metric, word, parametersOf[word] ?? 0))}
      />
      {Array.from(
        { length: Math.max(parameters, elementsAt(tree, [...window, "params"]).length) },
        (_, i) => (
          <TextField
            // Parameters keep their places.
            key={i}
            form={form}
            place={[...window, "params", i]}
            label={t(i === 0 ? "query.window.first" : "query.window.second")}
          />
        ),
      )}
    </div>
  );
}
