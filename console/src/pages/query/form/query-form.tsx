import { Field, type FieldProps, Select } from "../../../controls/field.tsx";
import type { JsonTree } from "../../../controls/json-tree.ts";
import type { Names } from "../data/names.ts";
import { pathOf, withText } from "../state/edits.ts";
import { type Place, textAt } from "../state/tree.ts";

/** What every part of the form works on. */
export interface QueryForm {
  readonly tree: JsonTree;
  readonly names: Names;
  change(tree: JsonTree): void;
  /** Returns the fault of a field by its path, such as `events[0].quota`. */
  errorAt(path: string): string | undefined;
}

interface PlacedProps {
  readonly form: QueryForm;
  readonly place: Place;
  readonly label: string;
}

type TextFieldProps = PlacedProps & Pick<FieldProps, "type" | "limits" | "suggestions">;

/** A field for the text at a place; an empty one removes the member. */
export function TextField({ form, place, ...props }: TextFieldProps) {
  return (
    <Field
      {...props}
      value={textAt(form.tree, place)}
      error={form.errorAt(pathOf(place))}
      onInput={(text) => form.change(withText(form.tree, place, text))}
    />
  );
}

export interface Choice {
  readonly value: string;
  readonly text: string;
}

interface WordFieldProps extends PlacedProps {
  readonly choices: readonly Choice[];
  /** What a missing member means. */
  readonly missing?: string;
  /** Makes the change instead of writing the word alone. */
  readonly onChoose?: (word: string) => void;
}

/** A choice of the word at a place. A word that is none of the choices stays one of them. */
export function WordField({ form, place, label, choices, missing = "", onChoose }: WordFieldProps) {
  const value = textAt(form.tree, place) || missing;
  const isKnown = choices.some((choice) => choice.value === value);
  return (
    <Select
      label={label}
      value={value}
      options={isKnown ? choices : [...choices, { value, text: value === "" ? "–" : value }]}
      error={form.errorAt(pathOf(place))}
      onChange={(word) => (onChoose ?? ((text) => form.change(withText(form.tree, place, text))))(word)}
    />
  );
}
