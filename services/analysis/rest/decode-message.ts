import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { BigNumber } from "../../../base/json/exact-numbers.ts";
import { numberOf, wordsOf } from "../../../base/protobuf/enum-words.ts";
import { createJsonReaders, type ReadJson } from "../../../base/rpc/json-reader.ts";
import type { JsonReading } from "../../../base/rpc/json-reading.ts";
import { parseDecimal } from "../../../base/text/decimal.ts";
import { knownNames, listKnown } from "../../../base/text/known-names.ts";
import { quote, quoteText } from "../../../base/text/quote.ts";
import { ValueFormatSchema } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { GroupValueSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { queryLimits } from "../describe/limits.ts";
import { maxOffsetHours, minOffsetHours } from "../describe/time/zone.ts";
import { readLabel } from "../text-form.ts";
import { maxSeconds } from "../time-limit.ts";

const readerOf = createJsonReaders({
  // The codec itself fills `ignored_fields`.
  namesOf: ({ name, jsonName }) => (name === "ignored_fields" ? [] : [jsonName]),
  pathNameOf: ({ jsonName }) => jsonName,
  elementReaderOf,
  takesNull: () => false,
  describeField: () => "a list",
  unknownMember: (_desc, key, reading) => reading.ignore(partOf(key)),
});

/**
 * Reads a message from the platform's JSON: null means not set, enums are words,
 * literals and labels may be numbers, numbers may be strings, and members without
 * a field are noted as ignored.
 */
export function decodeMessage<Desc extends DescMessage>(
  desc: Desc,
  json: unknown,
  reading: JsonReading,
): Message & Record<string, unknown> {
  return (readerOf(desc)(json, reading, 1) ?? create(desc)) as Message & Record<string, unknown>;
}

const plainName = /^[A-Za-z_#][\w#]{0,99}$/;

/** Returns the part of a path for a member; other names than plain words are quoted. */
function partOf(key: string): string {
  return plainName.test(key) ? `.${key}` : `[${quoteText(key)}]`;
}

/** Literals and parameters, which the platform also takes as numbers. */
const looseTexts: ReadonlySet<string> = new Set([
  "engage.analysis.v1.EventMetric.analysis_params",
  "engage.analysis.v1.Filter.ftv",
  "engage.analysis.v1.QuotaTimeRange.params",
]);

function elementReaderOf(field: DescField): ReadJson | undefined {
  const { message, enum: words } = field;
  if (message?.typeName === GroupValueSchema.typeName) return readGroup;
  if (message !== undefined) return undefined;
  if (words !== undefined) {
    const known = wordsOf(words);
    // Looked up once: reading the option of each value took most of the time of a body.
    const numbers = new Map<unknown, number | undefined>(known.map((word) => [word, numberOf(words, word)]));
    numbers.set("", 0);
    if (words.typeName === ValueFormatSchema.typeName) return lenientWord(numbers, known);
    return (value, reading) =>
      numbers.get(value) ?? reading.refuse(`${quote(value)} is unknown, ${validWords(value, known)}`);
  }
  if (field.scalar === ScalarType.INT32 || field.scalar === ScalarType.DOUBLE) return numberReader(field);
  return looseTexts.has(`${field.parent?.typeName}.${field.name}`)
    ? readLooseText
    : scalarReaders[field.scalar as ScalarType]!;
}

function validWords(value: unknown, words: readonly string[]): string {
  return typeof value === "string" ? knownNames(value, words) : listKnown(words);
}

/** A format only says how numbers are written, so an unknown one is not a reason to refuse a query. */
function lenientWord(numbers: ReadonlyMap<unknown, number | undefined>, words: readonly string[]): ReadJson {
  return (value, reading) => {
    const known = numbers.get(typeof value === "string" ? value.toLowerCase() : value);
    if (known === undefined) reading.ignore("", `${quote(value)} (${validWords(value, words)})`);
    return known;
  };
}

/** Describes the numbers of these fields in messages; others are places in lists. */
const numberRules: Readonly<Record<string, string>> = {
  limit: `a whole number from 1 to ${queryLimits.groups}`,
  timeout_seconds: `a whole number from 1 to ${maxSeconds}`,
  zone_offset: `a number of hours from ${minOffsetHours} to ${maxOffsetHours}`,
};

const wholeNumber = /^[+-]?\d{1,10}$/;

/** Reads a number, which may also be written as a string; its range is checked later. */
function numberReader({ name, scalar }: DescField): ReadJson {
  const rule = numberRules[name] ?? "a whole number from 0 on";
  const isWhole = scalar === ScalarType.INT32;
  const parse = (text: string) =>
    isWhole ? (wholeNumber.test(text) ? Number(text) : undefined) : parseDecimal(text);
  return (value, reading) => {
    const number = typeof value === "string" ? parse(value) : value;
    const isGood = typeof number === "number" && (!isWhole || number === (number | 0));
    return isGood ? number : reading.refuse(`${quote(value)} is not ${rule}`);
  };
}

const scalarReaders: Partial<Readonly<Record<ScalarType, ReadJson>>> = {
  [ScalarType.STRING]: (value, reading) =>
    typeof value === "string" ? value : reading.refuse(`${quote(value)} is not a text`),
  [ScalarType.BOOL]: (value, reading) =>
    typeof value === "boolean" ? value : reading.refuse(`${quote(value)} is not true or false`),
  [ScalarType.INT64]: readProjectId,
};

const maxInt64 = 2n ** 63n - 1n;

/** Reads the one field of 64 bits: a number, or the same as a string. */
function readProjectId(value: unknown, reading: JsonReading): bigint | undefined {
  const digits = typeof value === "boolean" ? "" : (textOf(value) ?? "");
  const id = /^\d{1,19}$/.test(digits) ? BigInt(digits) : 0n;
  if (id >= 1n && id <= maxInt64) return id;
  return reading.refuse(`${quote(value)} is not the id of a project, which is a whole number from 1 on`);
}

function readLooseText(value: unknown, reading: JsonReading): string | undefined {
  const text = textOf(value);
  if (text === undefined) return reading.refuse(`${quote(value)} is not a text, number, true or false`);
  const isBounded = !(value instanceof BigNumber) || Number.isFinite(Number(text));
  return isBounded ? text : reading.refuse(`${quote(value)} is beyond the largest number`);
}

function readGroup(value: unknown, reading: JsonReading): Message | undefined {
  const text = textOf(value);
  if (text === undefined && value !== null) return reading.refuse(`${quote(value)} is not a text or number`);
  const label = text === undefined ? undefined : readLabel(text);
  return create(GroupValueSchema, {
    value:
      label === undefined
        ? { case: "nullValue", value: NullValue.NULL_VALUE }
        : { case: "label", value: label },
  });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value instanceof BigNumber ? value.digits : undefined;
}
