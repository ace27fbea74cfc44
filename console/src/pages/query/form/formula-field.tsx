import { Field } from "../../../controls/field.tsx";
import { pathOf, withText } from "../../../filters/edits.ts";
import { type Place, textAt } from "../../../filters/tree.ts";
import { t } from "../../../texts/texts.ts";
import { placeInFormula } from "../state/faults.ts";
import type { QueryForm } from "./query-form.ts";

interface FormulaFieldProps {
  readonly form: QueryForm;
  readonly place: Place;
}

/** A formula, with its fault marked below the character. */
export function FormulaField({ form, place }: FormulaFieldProps) {
  const formula = textAt(form.tree, place);
  const error = form.errorAt(pathOf(place));
  const span = error === undefined ? undefined : placeInFormula(formula, error);
  return (
    <div class="query-formula">
      <Field
        label={t("query.formula")}
        limits={t("query.formula.limits")}
        rows={2}
        value={formula}
        error={error}
        onInput={(text) => form.change(withText(form.tree, place, text))}
      />
      {span !== undefined && (
        <p class="query-caret mono">
          {formula.slice(0, span.start)}
          <mark>{formula.slice(span.start, span.end) || "␣"}</mark>
          {formula.slice(span.end)}
        </p>
      )}
    </div>
  );
}
