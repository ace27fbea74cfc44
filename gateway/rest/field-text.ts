import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { DurationSchema, FieldMaskSchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { readIntegerText } from "../../base/text/integer-text.ts";
import { bare, knownNames, listKnown } from "../../base/text/known-names.ts";

/** Reads the text of a path variable or query parameter; returns undefined if it is not one of this type. */
export type ReadText = (text: string) => unknown;

/** The text form of the values of one type. */
export interface TextType {
  readonly read: ReadText;
  /** The description of the type in messages, for example `an int32`. */
  readonly expectation: string;
}

type ElementOf = Pick<DescField, "scalar" | "enum" | "message">;

/**
 * Returns the text form of a field, or of the elements of a repeated one; undefined for maps and for messages that have
 * no text form in JSON.
 */
export function textTypeOf(field: DescField): TextType | undefined {
  return field.fieldKind === "map" ? undefined : elementTypeOf(field);
}

function elementTypeOf(field: DescField): TextType | undefined {
  const { scalar, enum: desc, message } = field as ElementOf;
  if (scalar !== undefined) return scalarText(scalar, "longAsString" in field && field.longAsString);
  if (desc !== undefined) return enumText(desc);
  return message && messageText(message, field.fieldKind === "message" && field.oneof === undefined);
}

function scalarText(type: ScalarType, longAsString: boolean): TextType {
  switch (type) {
    case ScalarType.STRING:
      return { read: (text) => text, expectation: "a string" };
    case ScalarType.BOOL:
      return { read: (text) => bools.get(text), expectation: "a bool, valid are true, false, 1, 0" };
    case ScalarType.BYTES:
      return { read: readBytes, expectation: "bytes in base64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { read: (text) => readNumber(text, type), expectation: "a number" };
    default: {
      const { name, min, max } = integers[type];
      const isLong = max > 0xffff_ffffn;
      return {
        read: (text) =>
          readInteger(text, min, max, isLong && !longAsString ? BigInt : isLong ? String : Number),
        expectation: `${name}, a whole number from ${min} to ${max}`,
      };
    }
  }
}

const bools: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

const int32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const uint32 = { min: 0n, max: 2n ** 32n - 1n };
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const uint64 = { min: 0n, max: 2n ** 64n - 1n };

/** Scalar types whose values are whole numbers. */
export type IntegerType = Exclude<
  ScalarType,
  | typeof ScalarType.STRING
  | typeof ScalarType.BOOL
  | typeof ScalarType.BYTES
  | typeof ScalarType.DOUBLE
  | typeof ScalarType.FLOAT
>;

/** The ranges of whole numbers. */
export const integers: Readonly<Record<IntegerType, { name: string; min: bigint; max: bigint }>> = {
  [ScalarType.INT32]: { name: "an int32", ...int32 },
  [ScalarType.SINT32]: { name: "an int32", ...int32 },
  [ScalarType.SFIXED32]: { name: "an int32", ...int32 },
  [ScalarType.UINT32]: { name: "a uint32", ...uint32 },
  [ScalarType.FIXED32]: { name: "a uint32", ...uint32 },
  [ScalarType.INT64]: { name: "an int64", ...int64 },
  [ScalarType.SINT64]: { name: "an int64", ...int64 },
  [ScalarType.SFIXED64]: { name: "an int64", ...int64 },
  [ScalarType.UINT64]: { name: "a uint64", ...uint64 },
  [ScalarType.FIXED64]: { name: "a uint64", ...uint64 },
};

function readInteger(text: string, min: bigint, max: bigint, convert: (value: bigint) => unknown): unknown {
  const value = readIntegerText(text);
  return value === undefined || value < min || value > max ? undefined : convert(value);
}

function readNumber(text: string, type: ScalarType): number | undefined {
  if (text === "NaN" || text === "Infinity" || text === "-Infinity") return Number(text);
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  const stored = type === ScalarType.FLOAT ? Math.fround(value) : value;
  return Number.isFinite(stored) ? value : undefined;
}

/** Reads base64 in both alphabets, with or without padding. */
function readBytes(text: string): Uint8Array | undefined {
  const digits = text.replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/_-]*$/.test(digits) || digits.length % 4 === 1) return undefined;
  return new Uint8Array(Buffer.from(digits, "base64"));
}

function enumText(desc: DescEnum): TextType {
  const numbers = new Map(
    desc.values.flatMap(({ name, number }) => [[name, number] as const, [`${number}`, number] as const]),
  );
  return { read: (text) => numbers.get(text), expectation: describeEnum(desc) };
}

/**
 * Describes an enum for messages, as `a Genre, valid are GENRE_FICTION, …`.
 * @param given a value that is not valid
 */
function describeEnum(desc: DescEnum, given?: unknown): string {
  // The value 0 of this name is the same as no value.
  const names = desc.values.map(({ name }) => name).filter((name) => !name.endsWith("_UNSPECIFIED"));
  const style = { write: bare };
  const article = /^[AEIO]/.test(desc.name) ? "an" : "a";
  if (typeof given !== "string") return `${article} ${desc.name}, ${listKnown(names, style)}`;
  // A word, such as "day", most likely means the name that ends with it.
  const ending = `_${given.toUpperCase()}`;
  const meant = names.find((name) => name.endsWith(ending));
  return `${article} ${desc.name}, ${knownNames(meant ?? given, names, style)}`;
}

/** Well-known types whose JSON is a string. */
const stringLike: Readonly<Record<string, string>> = {
  "google.protobuf.Timestamp": "an RFC 3339 time such as 2024-05-01T12:00:00Z",
  "google.protobuf.Duration": "a duration in seconds such as 1.5s",
  "google.protobuf.FieldMask": "a list of field paths with commas between them",
};

function messageText(desc: DescMessage, unwrapped: boolean): TextType | undefined {
  const value = desc.fields[0];
  if (isWrapperDesc(desc) && value?.scalar !== undefined) {
    const inner = scalarText(value.scalar, false);
    if (unwrapped) return inner;
    const wrap = (text: string): Message | undefined => {
      const read = inner.read(text);
      return read === undefined ? undefined : create(desc, { value: read } as never);
    };
    return { ...inner, read: wrap };
  }
  const expectation = stringLike[desc.typeName];
  if (expectation === undefined) return undefined;
  if (desc.typeName === FieldMaskSchema.typeName) return { read: readMask, expectation };
  // The library reads a duration up to its "s" and ignores the rest.
  const isTrailed = (text: string): boolean =>
    desc.typeName === DurationSchema.typeName && !text.endsWith("s");
  return { read: (text) => (isTrailed(text) ? undefined : readJsonText(desc, text)), expectation };
}

function readJsonText(desc: DescMessage, text: string): Message | undefined {
  try {
    return fromJson(desc, text);
  } catch {
    return undefined;
  }
}

/** Reads a field mask. JSON has lowerCamelCase paths; in URLs the names of the proto file are common as well. */
function readMask(text: string): Message | undefined {
  const camelCase = text.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return readJsonText(FieldMaskSchema, camelCase);
}

/** Describes the values of a field, for messages. */
export function describeField(field: DescField): string {
  if (field.fieldKind === "map") return "an object";
  const element = describeElement(field);
  return field.fieldKind === "list" ? `a list in which each element is ${element}` : element;
}

/**
 * Describes the values of a field, or of the elements of a repeated one or a map.
 * @param given a value that is not valid
 */
export function describeElement(field: DescField, given?: unknown): string {
  if (field.enum !== undefined) return describeEnum(field.enum, given);
  return elementTypeOf(field)?.expectation ?? "an object";
}
