import {
  create,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { isNumber, isTextList, linesOf } from "./limits.ts";

/**
 * What is entered into the fields of a message, by their names in code: texts for texts, numbers and enums, a text of
 * lines for a list of texts, drafts for messages. Undefined stands for a field that is not set. Choices of one of
 * several fields are not part of it.
 */
export interface Draft {
  readonly [name: string]: DraftValue;
}

export type DraftValue = string | boolean | Draft | readonly Draft[] | undefined;

/** Reads a message into a form. */
export function draftOf<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Draft {
  const values = message as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    formFieldsOf(desc).map((field) => [field.localName, enteredOf(field, values[field.localName])]),
  );
}

/** Returns the fields that a form can have. */
export function formFieldsOf(desc: DescMessage): readonly DescField[] {
  return desc.fields.filter((field) => {
    if (field.oneof !== undefined) return false;
    if (field.message?.typeName.startsWith("google.protobuf.")) return false;
    return field.fieldKind !== "map" || (field.mapKind === "scalar" && field.scalar === ScalarType.STRING);
  });
}

function enteredOf(field: DescField, value: unknown): DraftValue {
  if (field.fieldKind === "list") {
    if (isTextList(field)) return (value as readonly string[]).join("\n");
    return field.listKind === "message"
      ? (value as readonly MessageShape<DescMessage>[]).map((one) => draftOf(field.message, one))
      : undefined;
  }
  if (field.fieldKind === "map") return { ...(value as Readonly<Record<string, string>>) };
  if (value === undefined) return undefined;
  if (field.fieldKind === "message") return draftOf(field.message, value as MessageShape<DescMessage>);
  return typeof value === "boolean" ? value : String(value);
}

/** Writes what was entered as a message. Texts that are no numbers are left out: `findFault` reports them. */
export function messageOf<Desc extends DescMessage>(desc: Desc, draft: Draft): MessageShape<Desc> {
  const values = formFieldsOf(desc).flatMap((field): [string, unknown][] => {
    const value = fieldValueOf(field, draft[field.localName]);
    return value === undefined ? [] : [[field.localName, value]];
  });
  return create(desc, Object.fromEntries(values) as MessageInitShape<Desc>);
}

function fieldValueOf(field: DescField, entered: DraftValue): unknown {
  if (entered === undefined) return undefined;
  if (typeof entered === "boolean") return entered;
  if (typeof entered === "string") return scalarOf(field, entered);
  if (field.fieldKind === "map") return entered;
  const { message } = field;
  if (message === undefined) return undefined;
  if (Array.isArray(entered)) return (entered as readonly Draft[]).map((one) => messageOf(message, one));
  return messageOf(message, entered as Draft);
}

function scalarOf(field: DescField, text: string): unknown {
  if (isTextList(field)) return linesOf(text);
  if (field.fieldKind === "enum") return Number(text);
  if (!isNumber(field)) return text;
  const trimmed = text.trim();
  if (trimmed === "" || !Number.isFinite(Number(trimmed))) return undefined;
  if (field.scalar !== ScalarType.INT64) return Number(trimmed);
  return /^-?\d+$/.test(trimmed) ? BigInt(trimmed) : undefined;
}

/** A change of a draft, which is applied to what was entered last. */
export type Change<Value = Draft> = (before: Value) => Value;

/** Returns the change of one field. */
export function setValue(name: string, value: DraftValue): Change {
  return (draft) => ({ ...draft, [name]: value });
}
