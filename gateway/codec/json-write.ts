import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonWriteOptions,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { Edition, FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { encodeBase64 } from "./base64.ts";

/** Writes a message as proto3 JSON; undefined where only the library can tell whether it can be. */
export type WriteJson = (message: Message) => string | undefined;

export type WriteOptions = Partial<Pick<JsonWriteOptions, "alwaysEmitImplicit">>;

type Source = Record<string, unknown>;
/** Undefined for what is not a value of its type. */
type WriteValue = (value: unknown) => string | undefined;
/** Empty for a field that is not set. */
type WriteField = (source: Source) => string | undefined;
type Known = Map<DescMessage, WriteValue>;

/**
 * A writer that puts the text together value by value, where the library makes an object for JSON.stringify. What
 * comes out is the same to the last character.
 */
export function compileJsonWriter(desc: DescMessage, options: WriteOptions = {}): WriteJson {
  return writerOf(desc, options, new Map());
}

/** `known` has the writers that this one needs, for messages can hold themselves. */
function writerOf(desc: DescMessage, options: WriteOptions, known: Known): WriteValue {
  const before = known.get(desc);
  if (before !== undefined) return before;
  if (plainTypes.has(desc.typeName))
    return (value) => JSON.stringify(toJson(desc, value as Message, options));
  const isOrdered = desc.fields.every(({ jsonName }) => /^[^0-9]/.test(jsonName) && jsonName !== "__proto__");
  if (
    desc.file.edition !== Edition.EDITION_PROTO3 ||
    desc.typeName.startsWith("google.protobuf.") ||
    !isOrdered
  )
    return leave;
  const fields: WriteField[] = [];
  const write: WriteValue = (value) => {
    if ((value as Message | undefined)?.$typeName !== desc.typeName) return undefined;
    let text = "{";
    for (let index = 0; index < fields.length; index++) {
      const member = fields[index]!(value as Source);
      if (member === undefined) return undefined;
      if (member !== "") text += text === "{" ? member : `,${member}`;
    }
    return `${text}}`;
  };
  known.set(desc, write);
  for (const field of desc.fields.toSorted((a, b) => a.number - b.number))
    fields.push(fieldWriter(field, options, known));
  return write;
}

const leave = (): undefined => undefined;

/** Types of Google's that fields hold as they are. */
const plainTypes: ReadonlySet<string> = new Set(
  ["Timestamp", "Duration", "FieldMask", "Empty"].map((name) => `google.protobuf.${name}`),
);

function fieldWriter(field: DescField, options: WriteOptions, known: Known): WriteField {
  const { localName, oneof } = field;
  const head = `${JSON.stringify(field.jsonName)}:`;
  const write = valueWriter(field, options, known);
  const member: WriteValue = (value) => {
    const text = write(value);
    return text && head + text;
  };
  const emits = options.alwaysEmitImplicit === true;
  if (field.fieldKind === "list") {
    return (source) => {
      const list = source[localName];
      if (!Array.isArray(list)) return undefined;
      return list.length > 0 || emits ? writeList(head, list, write) : "";
    };
  }
  if (field.fieldKind === "map") {
    return (source) => {
      const map = source[localName];
      if (typeof map !== "object" || map === null) return undefined;
      const keys = Object.keys(map);
      return keys.length > 0 || emits ? writeMap(head, keys, map as Source, write) : "";
    };
  }
  if (oneof !== undefined) {
    return (source) => {
      const set = source[oneof.localName] as { case?: string; value?: unknown } | undefined;
      if (set === undefined) return undefined;
      return set.case === localName ? member(set.value) : "";
    };
  }
  if (field.presence !== Presence.IMPLICIT) {
    return (source) => (source[localName] === undefined ? "" : member(source[localName]));
  }
  const isZero = zeroOf(field);
  return (source) => (!emits && isZero(source[localName]) ? "" : member(source[localName]));
}

function writeList(head: string, list: readonly unknown[], write: WriteValue): string | undefined {
  let text = `${head}[`;
  for (let index = 0; index < list.length; index++) {
    const item = write(list[index]);
    if (item === undefined) return undefined;
    text += index === 0 ? item : `,${item}`;
  }
  return `${text}]`;
}

function writeMap(head: string, keys: readonly string[], map: Source, write: WriteValue): string | undefined {
  let text = `${head}{`;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const value = write(map[key]);
    if (value === undefined) return undefined;
    text += `${index === 0 ? "" : ","}${writeText(key)}:${value}`;
  }
  return `${text}}`;
}

function zeroOf(field: DescField): (value: unknown) => boolean {
  if (field.enum !== undefined) {
    const zero = field.enum.values[0]?.number;
    return (value) => value === zero;
  }
  switch (field.scalar) {
    case ScalarType.BOOL:
      return (value) => value === false;
    case ScalarType.STRING:
      return (value) => value === "";
    case ScalarType.BYTES:
      return (value) => value instanceof Uint8Array && value.length === 0;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (value) => Object.is(value, 0);
    default:
      return (value) => value === 0 || value === 0n;
  }
}

function valueWriter(field: DescField, options: WriteOptions, known: Known): WriteValue {
  if (field.message !== undefined) return writerOf(field.message, options, known);
  if (field.enum !== undefined) return enumWriter(field.enum);
  return field.scalar === undefined ? leave : scalarWriters[field.scalar];
}

function enumWriter({ typeName, values, value: byNumber }: DescEnum): WriteValue {
  if (typeName.startsWith("google.protobuf.")) return leave;
  const names = new Map<unknown, string>(
    values.map(({ number }) => [number, JSON.stringify(byNumber[number]?.jsonName)]),
  );
  return (value) => names.get(value);
}

/** Longest text that is looked through here: beyond it JSON.stringify is faster. */
const maxScanned = 64;

function writeText(text: string): string {
  if (text.length > maxScanned) return JSON.stringify(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 34 /* quote */ || code === 92 /* backslash */ || code >= 0xd800)
      return JSON.stringify(text);
  }
  return `"${text}"`;
}

const writeWhole: WriteValue = (value) => (Number.isSafeInteger(value) ? String(value) : undefined);
const writeNumber: WriteValue = (value) => (Number.isFinite(value) ? String(value) : undefined);
const writeLong: WriteValue = (value) => (typeof value === "bigint" ? `"${value}"` : undefined);

const scalarWriters: Readonly<Record<ScalarType, WriteValue>> = {
  [ScalarType.STRING]: (value) => (typeof value === "string" ? writeText(value) : undefined),
  [ScalarType.BOOL]: (value) => (typeof value === "boolean" ? String(value) : undefined),
  [ScalarType.DOUBLE]: writeNumber,
  [ScalarType.FLOAT]: writeNumber,
  [ScalarType.INT32]: writeWhole,
  [ScalarType.SINT32]: writeWhole,
  [ScalarType.SFIXED32]: writeWhole,
  [ScalarType.UINT32]: writeWhole,
  [ScalarType.FIXED32]: writeWhole,
  [ScalarType.INT64]: writeLong,
  [ScalarType.SINT64]: writeLong,
  [ScalarType.SFIXED64]: writeLong,
  [ScalarType.UINT64]: writeLong,
  [ScalarType.FIXED64]: writeLong,
  [ScalarType.BYTES]: (value) => (value instanceof Uint8Array ? `"${encodeBase64(value)}"` : undefined),
};
