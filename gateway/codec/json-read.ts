import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { Edition } from "@bufbuild/protobuf/wkt";
import { decodeBase64 } from "./base64.ts";

/** Reads a message from what JSON.parse gave; undefined where only the library can tell what it is. */
export type ReadJson = (json: unknown) => Message | undefined;

type Target = Record<string, unknown>;
type ReadFields = (json: unknown, depth: number) => Message | undefined;
/** Undefined for what is not a plain value of its type. */
type ReadValue = (json: unknown, depth: number) => unknown;
/** False where the value is not plain. */
type ReadField = (target: Target, json: unknown, depth: number) => boolean;

/** The library reads deeper. */
const maxDepth = 32;
const maxFloat = 3.4028234663852886e38;

/**
 * A reader for the form that most callers send: fields by their JSON names, values of the type that their field has,
 * nothing twice and no null; keys without a field are ignored, or left to the library. The library looks at every message as if it were none
 * of these, for four times as long. What comes out is the same.
 */
export function compileJsonReader(desc: DescMessage, ignoresUnknown = true): ReadJson {
  const read = readerOf(desc, { readers: new Map(), ignoresUnknown });
  return (json) => read(json, 1);
}

const plainReaders = new WeakMap<DescField, ReadValue>();

/** Whether a value is surely one of this field, which holds one scalar or enum; false: only the library can tell. */
export function isPlain(field: DescField, json: unknown): boolean {
  if (field.fieldKind !== "scalar" && field.fieldKind !== "enum") return false;
  let read = plainReaders.get(field);
  if (read === undefined) {
    read = valueReader(field, { readers: new Map(), ignoresUnknown: true });
    plainReaders.set(field, read);
  }
  return read(json, 1) !== undefined;
}

interface Readers {
  /** Those that one reader needs, for messages can hold themselves. */
  readonly readers: Map<DescMessage, ReadFields>;
  readonly ignoresUnknown: boolean;
}

function readerOf(desc: DescMessage, known: Readers): ReadFields {
  const before = known.readers.get(desc);
  if (before !== undefined) return before;
  // Presence of other editions is a matter of prototypes, and Google's own types have forms of their own.
  if (desc.file.edition !== Edition.EDITION_PROTO3 || desc.typeName.startsWith("google.protobuf."))
    return leave;
  const { ignoresUnknown } = known;
  const fields = new Map<string, ReadField>();
  const read: ReadFields = (json, depth) => {
    if (typeof json !== "object" || json === null || Array.isArray(json) || depth > maxDepth)
      return undefined;
    const message = create(desc);
    const target = message as unknown as Target;
    for (const key of Object.keys(json)) {
      const readField = fields.get(key);
      if (readField === undefined ? !ignoresUnknown : !readField(target, (json as Target)[key], depth))
        return undefined;
    }
    return message;
  };
  known.readers.set(desc, read);
  for (const field of desc.fields) fields.set(field.name, refuse);
  for (const field of desc.fields) fields.set(field.jsonName, fieldReader(field, known));
  return read;
}

const leave = (): undefined => undefined;
/** By its other name a field could come twice. */
const refuse: ReadField = () => false;

function fieldReader(field: DescField, known: Readers): ReadField {
  const { localName, oneof } = field;
  const read = valueReader(field, known);
  if (field.fieldKind === "list") return listReader(localName, read);
  if (field.fieldKind === "map")
    return field.mapKey === ScalarType.STRING ? mapReader(localName, read) : refuse;
  if (oneof === undefined) {
    return (target, json, depth) => {
      const value = read(json, depth);
      target[localName] = value;
      return value !== undefined;
    };
  }
  return (target, json, depth) => {
    const value = read(json, depth);
    const { case: other } = target[oneof.localName] as { case?: string };
    target[oneof.localName] = { case: localName, value };
    return value !== undefined && other === undefined;
  };
}

function listReader(localName: string, read: ReadValue): ReadField {
  return (target, json, depth) => {
    if (!Array.isArray(json)) return false;
    const list = target[localName] as unknown[];
    for (const item of json) {
      const value = read(item, depth);
      if (value === undefined) return false;
      list.push(value);
    }
    return true;
  };
}

function mapReader(localName: string, read: ReadValue): ReadField {
  return (target, json, depth) => {
    if (typeof json !== "object" || json === null || Array.isArray(json)) return false;
    const map = target[localName] as Target;
    for (const key of Object.keys(json)) {
      const value = read((json as Target)[key], depth);
      if (value === undefined || key === "__proto__" || !key.isWellFormed()) return false;
      map[key] = value;
    }
    return true;
  };
}

function valueReader(field: DescField, known: Readers): ReadValue {
  if (field.message !== undefined) {
    const read = readerOf(field.message, known);
    return (json, depth) => read(json, depth + 1);
  }
  if (field.enum !== undefined) return enumReader(field.enum);
  const isText = "longAsString" in field && field.longAsString;
  return isText || field.scalar === undefined ? leave : scalarReaders[field.scalar];
}

function enumReader({ typeName, values }: DescEnum): ReadValue {
  if (typeName.startsWith("google.protobuf.")) return leave;
  const numbers = new Map(values.map(({ name, number }) => [name, number]));
  return (json) => (typeof json === "string" ? numbers.get(json) : undefined);
}

// The type goes first: an object may say that it can't be made a number.
const readInt32: ReadValue = (json) =>
  typeof json === "number" && Object.is(json, json | 0) ? json : undefined;
const readUint32: ReadValue = (json) =>
  typeof json === "number" && Object.is(json, json >>> 0) ? json : undefined;
/** Texts of up to 18 digits are in the range of all of these. A number that JSON.parse had to round is not safe. */
const readInt64: ReadValue = (json) => {
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : undefined;
  return typeof json === "string" && /^-?[0-9]{1,18}$/.test(json) ? BigInt(json) : undefined;
};
const readUint64: ReadValue = (json) => {
  if (typeof json === "number") return Number.isSafeInteger(json) && json >= 0 ? BigInt(json) : undefined;
  return typeof json === "string" && /^[0-9]{1,18}$/.test(json) ? BigInt(json) : undefined;
};

const scalarReaders: Readonly<Record<ScalarType, ReadValue>> = {
  [ScalarType.STRING]: (json) => (typeof json === "string" && json.isWellFormed() ? json : undefined),
  [ScalarType.BOOL]: (json) => (typeof json === "boolean" ? json : undefined),
  [ScalarType.DOUBLE]: (json) => (Number.isFinite(json) ? json : undefined),
  [ScalarType.FLOAT]: (json) => (typeof json === "number" && Math.abs(json) <= maxFloat ? json : undefined),
  [ScalarType.INT32]: readInt32,
  [ScalarType.SINT32]: readInt32,
  [ScalarType.SFIXED32]: readInt32,
  [ScalarType.UINT32]: readUint32,
  [ScalarType.FIXED32]: readUint32,
  [ScalarType.INT64]: readInt64,
  [ScalarType.SINT64]: readInt64,
  [ScalarType.SFIXED64]: readInt64,
  [ScalarType.UINT64]: readUint64,
  [ScalarType.FIXED64]: readUint64,
  [ScalarType.BYTES](json) {
    const bytes = typeof json === "string" ? decodeBase64(json) : undefined;
    return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  },
};
