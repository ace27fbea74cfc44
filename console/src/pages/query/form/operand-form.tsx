import { Field, Select } from "../../../controls/field.tsx";
import { columnsOf } from "../../../filters/column-names.ts";
import { pathOf } from "../../../filters/edits.ts";
import { TextField } from "../../../filters/filter-form.tsx";
import { FilterList } from "../../../filters/filters.tsx";
import { elementsAt, type Place, textAt } from "../../../filters/tree.ts";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";
import { entryOf, operandsOf, withCounted, withIndex, withWindow } from "../state/operands.ts";
import type { QueryForm } from "./query-form.ts";

const windows = ["", "LAST_DAYS", "RECENT_DAYS", "THIS_WEEK", "THIS_MONTH", "TIME_RANGE"] as const;

/** The numbers of parameters of the windows that have some. */
const parametersOf: Readonly<Record<string, number>> = { LAST_DAYS: 1, RECENT_DAYS: 1, TIME_RANGE: 2 };

interface OperandsFormProps {
  readonly form: QueryForm;
  readonly metric: Place;
}

/** The operands of a formula, each with filters of its own, its subject and its days. */
export function OperandsForm({ form, metric }: OperandsFormProps) {
  const operands = operandsOf(textAt(form.tree, [...metric, "customEvent"]));
  return operands.map((text, i) => (
    // Operands keep their places.
    <fieldset key={i} class="item">
      <legend>{t("query.operand", { number: formatNumber(i + 1), text })}</legend>
      <OperandFilters form={form} metric={metric} operand={i} text={text} />
      <OperandForm form={form} metric={metric} operand={i} />
    </fieldset>
  ));
}

interface OperandFormProps extends OperandsFormProps {
  readonly operand: number;
}

function OperandFilters({ form, metric, operand, text }: OperandFormProps & { readonly text: string }) {
  const entry = entryOf(form.tree, metric, "customFilters", operand);
  // The first filter makes the entry, which has to name the operand.
  const numbered: QueryForm = {
    ...form,
    change: (tree) => form.change(withIndex(tree, entry, operand)),
  };
  return <FilterList form={numbered} owner={entry} event={text.split(".")[0] ?? ""} />;
}

/** What an operand counts as a user, and over which days. A plain metric is one operand. */
export function OperandForm({ form, metric, operand }: OperandFormProps) {
  const { tree, names } = form;
  const entity: Place = [...entryOf(tree, metric, "quotaEntities", operand), "taIdMeasure", "columnName"];
  const window = entryOf(tree, metric, "quotaTimeRanges", operand);
  const type = textAt(tree, [...window, "type"]);
  const given = elementsAt(tree, [...window, "params"]).length;
  return (
    <div class="item-fields">
      <Field
        label={t("query.counted")}
        limits={t("query.counted.limits")}
        value={textAt(tree, entity)}
        error={form.errorAt(pathOf(entity))}
        suggestions={columnsOf(names, "event")}
        onInput={(text) => form.change(withCounted(tree, metric, operand, text))}
      />
      <Select
        label={t("query.window")}
        value={type}
        options={windows.map((value) => ({ value, text: t(`query.window.${value || "bucket"}`) }))}
        error={form.errorAt(pathOf([...window, "type"]))}
        onChange={(word) => form.change(withWindow(tree, metric, operand, word, parametersOf[word] ?? 0))}
      />
      {Array.from({ length: Math.max(parametersOf[type] ?? 0, given) }, (_, i) => (
        <TextField
          // Parameters keep their places.
          key={i}
          form={form}
          place={[...window, "params", i]}
          label={t(i === 0 ? "query.window.first" : "query.window.second")}
        />
      ))}
    </div>
  );
}
