import { create, type DescField, type DescMessage, type DescOneof, type Message } from "@bufbuild/protobuf";
import { quote, quoteText } from "../../base/text/quote.ts";
import { describeElement, textTypeOf } from "./field-text.ts";

/** A field, perhaps within other messages, that a path variable or a query parameter can fill. */
export interface Parameter {
  /** Names of the proto fields, with dots between them. */
  readonly name: string;
  readonly field: DescField;
  /** Sets the field; returns what is wrong with the values if it can't. */
  readonly bind: (message: Message, texts: readonly string[]) => string | undefined;
}

/**
 * The parameter of a field path whose parts are proto names or JSON names;
 * otherwise the reason why there is none.
 */
export function compileParameter(desc: DescMessage, path: readonly string[]): Parameter | string {
  const steps: DescField[] = [];
  let message: DescMessage | undefined = desc;
  for (const part of path) {
    if (message === undefined || message.typeName.startsWith("google.protobuf.")) {
      return `${quoteText(path.join("."))} goes into "${steps.at(-1)?.name}", which has no fields that a parameter can name`;
    }
    const field: DescField | undefined = findField(message, part);
    if (field === undefined) return `${message.typeName} has no field ${quoteText(part)}`;
    steps.push(field);
    message = field.fieldKind === "message" ? field.message : undefined;
  }
  const field = steps.pop() as DescField;
  const name = [...steps, field].map((step) => step.name).join(".");
  const type = textTypeOf(field);
  if (type === undefined)
    return `${quoteText(name)} is a ${field.fieldKind === "map" ? "map" : "message"}, which no text can fill`;
  return {
    name,
    field,
    bind: (target, texts) => {
      if (field.fieldKind !== "list" && texts.length > 1)
        return `has ${texts.length} values, but the field takes one`;
      const values = texts.map(type.read);
      const bad = values.indexOf(undefined);
      if (bad !== -1) return `${quote(texts[bad])} is not ${describeElement(field, texts[bad])}`;
      return assign(target, steps, field, values);
    },
  };
}

/** Finds a field by its proto name or its JSON name. */
export function findField(desc: DescMessage, name: string): DescField | undefined {
  return desc.fields.find((field) => field.name === name || field.jsonName === name);
}

/** Names of the fields that parameters can fill, those of messages within by their path, to `depth` levels. */
export function parameterNames(desc: DescMessage, depth = 2): readonly string[] {
  return desc.fields.flatMap((field) => {
    if (textTypeOf(field) !== undefined) return [field.name];
    const isOpen = field.fieldKind === "message" && !field.message.typeName.startsWith("google.protobuf.");
    if (!isOpen || depth <= 1) return [];
    return parameterNames(field.message, depth - 1).map((name) => `${field.name}.${name}`);
  });
}

type Fields = Record<string, unknown>;
type OneofValue = { case: string | undefined; value?: unknown };

function assign(
  message: Message,
  steps: readonly DescField[],
  field: DescField,
  values: readonly unknown[],
): string | undefined {
  let target = message as unknown as Fields;
  for (const step of steps) {
    const clash = clashOf(target, step);
    if (clash !== undefined) return clash;
    target = childOf(target, step);
  }
  if (field.fieldKind === "list") {
    (target[field.localName] as unknown[]).push(...values);
    return undefined;
  }
  const clash = clashOf(target, field);
  if (clash !== undefined) return clash;
  put(target, field, values[0]);
  return undefined;
}

/** A oneof that is set to another field already. */
function clashOf(target: Fields, { oneof, localName, name }: DescField): string | undefined {
  if (oneof === undefined) return undefined;
  const set = (target[oneof.localName] as OneofValue).case;
  if (set === undefined || set === localName) return undefined;
  return `only one of ${fieldNames(oneof)} can be set, and "${name}" is not the first`;
}

function fieldNames(oneof: DescOneof): string {
  return oneof.fields.map((field) => `"${field.name}"`).join(", ");
}

function childOf(target: Fields, field: DescField): Fields {
  const { oneof, localName } = field;
  const known = oneof === undefined ? target[localName] : (target[oneof.localName] as OneofValue).value;
  if (known !== undefined) return known as Fields;
  const child = create(field.message as DescMessage);
  put(target, field, child);
  return child as unknown as Fields;
}

function put(target: Fields, { oneof, localName }: DescField, value: unknown): void {
  if (oneof === undefined) target[localName] = value;
  else target[oneof.localName] = { case: localName, value };
}
