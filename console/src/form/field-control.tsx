import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { Checkbox } from "../controls/checkbox.tsx";
import { Field, Select } from "../controls/field.tsx";
import { t } from "../texts/texts.ts";
import { type Change, type Draft, setValue } from "./draft.ts";
import type { Faults } from "./faults.ts";
import { isTextList, limitsOf } from "./limits.ts";
import { choicesOf, labelOf, sayLimits } from "./say.ts";
import "./form.css";

/** A part of a form: the draft of a message, and what is wrong with it by the path within the message. */
export interface FormPart {
  readonly draft: Draft;
  readonly faults: Faults;
  readonly onChange: (change: Change) => void;
}

export interface FieldControlProps extends FormPart {
  readonly field: DescField;
  /** The server has the value, which is a secret: an empty one keeps it. */
  readonly isStored?: boolean;
}

/** Longer texts get several lines. */
const oneLineLength = 300;

/** The control of one field, with the limits that the contract has for it. */
export function FieldControl({ field, draft, faults, onChange, isStored = false }: FieldControlProps) {
  const value = draft[field.localName];
  const label = labelOf(field);
  const set = (next: string | boolean) => onChange(setValue(field.localName, next));
  if (field.scalar === ScalarType.BOOL) {
    const isChecked = value === undefined ? limitsOf(field).defaultValue === "true" : value === true;
    return <Checkbox label={label} isChecked={isChecked} onChange={set} hint={sayLimits(field)} />;
  }
  const text = typeof value === "string" ? value : "";
  if (field.fieldKind === "enum") {
    return <Select label={label} value={text} options={choicesOf(field.enum)} onChange={set} />;
  }
  const limits = [isStored ? t("form.stored") : undefined, sayLimits(field)].filter(Boolean).join(" · ");
  const { secret, required } = limitsOf(field);
  const rows = rowsOf(field);
  return (
    <Field
      label={label}
      value={text}
      onInput={set}
      {...(limits !== "" && { limits })}
      error={faultOf(faults, field)}
      isRequired={required && !isStored}
      {...(secret && { type: "password" as const })}
      {...(rows !== undefined && { rows })}
    />
  );
}

/** Returns the fault of a field or of one of its texts. */
function faultOf(faults: Faults, field: DescField): string | undefined {
  const own = faults.get(field.name);
  if (own !== undefined) return own;
  for (const [path, fault] of faults) {
    if (path.startsWith(`${field.name}[`)) return `${path.slice(field.name.length)} ${fault}`;
  }
  return undefined;
}

function rowsOf(field: DescField): number | undefined {
  if (isTextList(field)) return 3;
  const { format, maxLength } = limitsOf(field);
  return format === 0 && maxLength > oneLineLength ? 2 : undefined;
}

export interface MessageFieldsProps extends FormPart {
  readonly fields: readonly DescField[];
}

/** The controls of some fields of a message, beside each other where there is room. */
export function MessageFields({ fields, ...part }: MessageFieldsProps) {
  return (
    <div class="form-fields">
      {fields.map((field) => (
        <FieldControl key={field.name} field={field} {...part} />
      ))}
    </div>
  );
}

/** Returns a part of a form that is a message within another. */
export function partOf({ draft, onChange }: FormPart, { localName }: DescField, faults: Faults): FormPart {
  return {
    draft: draftIn(draft, localName),
    faults,
    onChange: (change) =>
      onChange((before) => ({ ...before, [localName]: change(draftIn(before, localName)) })),
  };
}

function draftIn(draft: Draft, name: string): Draft {
  const inside = draft[name];
  return typeof inside === "object" && !Array.isArray(inside) ? (inside as Draft) : {};
}
