import { Field, type FieldProps, Select } from "../controls/field.tsx";
import type { JsonTree } from "../controls/json-tree.ts";
import type { ColumnNames, TableWord } from "./column-names.ts";
import { pathOf, withText } from "./edits.ts";
import { type Place, textAt } from "./tree.ts";

/** What every part of a form with filters works on. */
export interface FilterForm {
  readonly tree: JsonTree;
  readonly projectId: bigint;
  readonly names: ColumnNames;
  /** The tables whose columns are valid; new filters are of the first. */
  readonly tables: readonly TableWord[];
  change(tree: JsonTree): void;
  /** Returns the fault of a field by its path, such as `events[0].quota`. */
  errorAt(path: string): string | undefined;
}

interface PlacedProps {
  readonly form: FilterForm;
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
