import { useSignal } from "@preact/signals";
import { Button } from "../../../controls/button.tsx";
import { Field } from "../../../controls/field.tsx";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";
import { typeOfColumn } from "../data/names.ts";
import { type SuggestedColumn, useValueSuggestions } from "../data/value-suggestions.ts";
import { pathOf, withComparator } from "../state/edits.ts";
import { type Arity, comparatorRule, comparatorsFor, fieldsOf } from "../state/rules.ts";
import { elementsAt, type Place, textAt, textTree, withValue } from "../state/tree.ts";
import { ColumnFields } from "./column-fields.tsx";
import { type QueryForm, WordField } from "./query-form.tsx";

interface FilterFieldsProps {
  readonly form: QueryForm;
  readonly filter: Place;
  readonly event: string;
}

/** One condition: a column, a comparator that is valid for its type, and as many values as that takes. */
export function FilterFields({ form, filter, event }: FilterFieldsProps) {
  const { tree, names } = form;
  const table = textAt(tree, [...filter, "tableType"]);
  const column = textAt(tree, [...filter, "columnName"]);
  const type = typeOfColumn(names, table, column);
  const word = textAt(tree, [...filter, "comparator"]);
  const rule = comparatorRule(word);
  const suggested: SuggestedColumn = {
    projectId: BigInt(textAt(tree, ["projectId"]) || "0"),
    table: table === "event" || table === "user" ? table : undefined,
    column,
    event: names.events.includes(event) ? event : "",
    isText: type === "text",
  };
  return (
    <>
      <div class="query-fields">
        <ColumnFields form={form} owner={filter} />
        <WordField
          form={form}
          place={[...filter, "comparator"]}
          label={t("query.comparator")}
          choices={comparatorsFor(type).map((value) => ({ value, text: t(`query.comparator.${value}`) }))}
          onChoose={(next) => form.change(withComparator(tree, filter, next))}
        />
      </div>
      {rule !== undefined && rule.arity !== "none" && (
        <Values form={form} filter={filter} arity={rule.arity} suggested={suggested} />
      )}
      {rule?.hasUnit === true && (
        <WordField
          form={form}
          place={[...filter, "timeUnit"]}
          label={t("query.timeUnit")}
          choices={(["day", "hour", "minute"] as const).map((value) => ({
            value,
            text: t(`query.timeUnit.${value}`),
          }))}
        />
      )}
    </>
  );
}

interface ValuesProps {
  readonly form: QueryForm;
  readonly filter: Place;
  readonly arity: Arity;
  readonly suggested: SuggestedColumn;
}

function Values({ form, filter, arity, suggested }: ValuesProps) {
  const place: Place = [...filter, "ftv"];
  const literals = elementsAt(form.tree, place);
  const count = Math.max(literals.length, fieldsOf(arity));
  const set = (index: number, text: string | undefined): void =>
    form.change(withValue(form.tree, [...place, index], text === undefined ? undefined : textTree(text))!);
  return (
    <div class="query-values">
      {Array.from({ length: count }, (_, i) => (
        // Values keep their places.
        <div key={i} class="query-value">
          <ValueField
            form={form}
            place={[...place, i]}
            index={i}
            isOnly={count === 1}
            suggested={suggested}
          />
          {arity === "many" && count > 1 && (
            <Button
              kind="quiet"
              label={t("query.value.remove", { number: formatNumber(i + 1) })}
              onClick={() => set(i, undefined)}
            >
              {t("query.remove")}
            </Button>
          )}
        </div>
      ))}
      {arity === "many" && (
        <div>
          <Button kind="quiet" onClick={() => set(count, "")}>
            {t("query.value.add")}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ValueFieldProps {
  readonly form: QueryForm;
  readonly place: Place;
  readonly index: number;
  readonly isOnly: boolean;
  readonly suggested: SuggestedColumn;
}

/** A value, with those of the data suggested. An empty one stays in its place while it is typed. */
function ValueField({ form, place, index, isOnly, suggested }: ValueFieldProps) {
  const isInUse = useSignal(false);
  const text = textAt(form.tree, place);
  const values = useValueSuggestions(suggested, isInUse.value, text);
  return (
    <div
      onFocusIn={() => {
        isInUse.value = true;
      }}
    >
      <Field
        value={text}
        error={form.errorAt(pathOf(place))}
        onInput={(value) => form.change(withValue(form.tree, place, textTree(value))!)}
        label={isOnly ? t("query.value") : t("query.value.number", { number: formatNumber(index + 1) })}
        suggestions={values}
      />
    </div>
  );
}
