import { Checkbox } from "../../../controls/checkbox.tsx";
import { Select } from "../../../controls/field.tsx";
import { withText } from "../../../filters/edits.ts";
import { TextField, WordField } from "../../../filters/filter-form.tsx";
import { textAt } from "../../../filters/tree.ts";
import { t } from "../../../texts/texts.ts";
import {
  comparedRange,
  dayOf,
  hasTimes,
  mainRange,
  type RangeChoice,
  type RangePlaces,
  rangeChoiceOf,
  relativeRanges,
} from "../state/days.ts";
import { withComparison } from "../state/previous-range.ts";
import type { QueryForm } from "./query-form.ts";

const units = [
  "minute",
  "minute5",
  "minute10",
  "hour",
  "day",
  "week",
  "month",
  "quarter",
  "year",
  "total",
] as const;

/** The days of a query, its steps, and the days it is compared with. */
export function RangeForm({ form }: { readonly form: QueryForm }) {
  const isCompared = textAt(form.tree, ["eventView", "comparedByTime"]) === "true";
  return (
    <fieldset class="query-part">
      <legend>{t("query.range")}</legend>
      <div class="item-fields">
        <Range form={form} places={mainRange} label={t("query.days")} />
        <WordField
          form={form}
          place={["eventView", "timeParticleSize"]}
          label={t("query.unit")}
          choices={units.map((unit) => ({ value: unit, text: t(`query.unit.${unit}`) }))}
        />
      </div>
      <Checkbox
        label={t("query.compare")}
        isChecked={isCompared}
        onChange={(isOn) => form.change(withComparison(form.tree, isOn))}
      />
      {isCompared && (
        <div class="item-fields">
          <Range form={form} places={comparedRange} label={t("query.compare.days")} />
        </div>
      )}
    </fieldset>
  );
}

interface RangeProps {
  readonly form: QueryForm;
  readonly places: RangePlaces;
  readonly label: string;
}

const choices: readonly RangeChoice[] = [...relativeRanges, "StartToNow", "typed", "days"];

function Range({ form, places, label }: RangeProps) {
  const { tree } = form;
  const choice = rangeChoiceOf(tree, places);
  const choose = (next: RangeChoice): void => {
    const recentDay = next === "days" ? "" : next === "typed" ? "2-8" : next;
    form.change(withText(tree, places.recentDay, recentDay));
  };
  const type = hasTimes(tree, places) ? "text" : "date";
  return (
    <>
      <Select
        label={label}
        value={choice}
        options={choices.map((value) => ({ value, text: t(`query.range.${value}`) }))}
        error={choice === "typed" ? undefined : form.errorAt(places.recentDay.join("."))}
        onChange={(value) => choose(value as RangeChoice)}
      />
      {choice === "typed" && (
        <TextField
          form={form}
          place={places.recentDay}
          label={t("query.range.text")}
          limits={t("query.range.limits")}
        />
      )}
      {(choice === "days" || choice === "StartToNow") && (
        <DayField form={form} place={places.start} label={t("query.from")} type={type} />
      )}
      {choice === "days" && <DayField form={form} place={places.end} label={t("query.to")} type={type} />}
    </>
  );
}

interface DayFieldProps {
  readonly form: QueryForm;
  readonly place: RangePlaces["start"];
  readonly label: string;
  readonly type: "text" | "date";
}

/** A day, or a time where the query has one. */
function DayField({ form, place, label, type }: DayFieldProps) {
  if (type === "text") return <TextField form={form} place={place} label={label} />;
  const shown: QueryForm = { ...form, tree: withText(form.tree, place, dayOf(textAt(form.tree, place))) };
  return <TextField form={shown} place={place} label={label} type="date" />;
}
