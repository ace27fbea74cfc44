import { useSignal } from "@preact/signals";
import { Button } from "../controls/button.tsx";
import { Field } from "../controls/field.tsx";
import type { JsonTree } from "../controls/json-tree.ts";
import { formatNumber } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { ColumnFields } from "./column-fields.tsx";
import { typeOfColumn } from "./column-names.ts";
import { pathOf, withComparator, withValidComparator } from "./edits.ts";
import { type FilterForm, WordField } from "./filter-form.tsx";
import { type Arity, comparatorRule, comparatorsFor, fieldsOf } from "./rules.ts";
import { elementsAt, type Place, textAt, textTree, withValue } from "./tree.ts";
import { type SuggestedColumn, useValueSuggestions } from "./value-suggestions.ts";

interface FilterFieldsProps {
  readonly form: FilterForm;
  readonly filter: Place;
  readonly event: string;
}

/** One condition: a column, a comparator that is valid for its type, and as many values as that takes. */
export function FilterFields({ form, filter, event }: FilterFieldsProps) {
  const { tree, names, tables } = form;
  const { table, column } = columnAt(tree, filter);
  const type = typeOfColumn(names, table, column);
  const hasEvent = tables.includes("event");
  /** Changes the column, and with it a comparator that its type does not have. */
  const ofColumn: FilterForm = {
    ...form,
    change: (changed) => {
      const next = columnAt(changed, filter);
      const nextType = typeOfColumn(names, next.table, next.column);
      form.change(withValidComparator(changed, filter, nextType, hasEvent));
    },
  };
  const word = textAt(tree, [...filter, "comparator"]);
  const rule = comparatorRule(word);
  const suggested: SuggestedColumn = {
    projectId: form.projectId,
    table: table === "event" || table === "user" ? table : undefined,
    column,
    event: names.events.includes(event) ? event : "",
    isText: type === "text",
  };
  return (
    <>
      <div class="item-fields">
        <ColumnFields form={ofColumn} owner={filter} />
        <WordField
          form={form}
          place={[...filter, "comparator"]}
          label={t("filter.comparator")}
          choices={comparatorsFor(type, hasEvent).map((value) => ({
            value,
            text: t(`filter.comparator.${value}`),
          }))}
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
          label={t("filter.timeUnit")}
          choices={(["day", "hour", "minute"] as const).map((value) => ({
            value,
            text: t(`filter.timeUnit.${value}`),
          }))}
        />
      )}
    </>
  );
}

function columnAt(tree: JsonTree, filter: Place): { readonly table: string; readonly column: string } {
  return {
    table: textAt(tree, [...filter, "tableType"]),
    column: textAt(tree, [...filter, "columnName"]),
  };
}

interface ValuesProps {
  readonly form: FilterForm;
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
    <div class="filter-values">
      {Array.from({ length: count }, (_, i) => (
        // Values keep their places.
        <div key={i} class="filter-value">
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
              label={t("filter.value.remove", { number: formatNumber(i + 1) })}
              onClick={() => set(i, undefined)}
            >
              {t("form.remove")}
            </Button>
          )}
        </div>
      ))}
      {arity === "many" && (
        <div>
          <Button kind="quiet" onClick={() => set(count, "")}>
            {t("filter.value.add")}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ValueFieldProps {
  readonly form: FilterForm;
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
        error={
          form.errorAt(pathOf(place)) ?? (index === 0 ? form.errorAt(pathOf(place.slice(0, -1))) : undefined)
        }
        onInput={(value) => form.change(withValue(form.tree, place, textTree(value))!)}
        label={isOnly ? t("filter.value") : t("filter.value.number", { number: formatNumber(index + 1) })}
        suggestions={values}
      />
    </div>
  );
}
