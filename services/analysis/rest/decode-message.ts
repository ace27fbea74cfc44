import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { BigNumber } from "../../../base/json/exact-numbers.ts";
import { quoteList } from "../../../base/text/quote.ts";
import { ValueFormatSchema } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { type GroupValue, GroupValueSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { readLabel } from "../text-form.ts";
import { numberOf, wordsOf } from "../words.ts";
import { numberReaderOf } from "./read-number.ts";
import { pathOf, quote, type Reading } from "./reading.ts";

/** As deep as messages may be in the other protocols. */
const maxDepth = 100;

/** Reads one value; notes what is wrong with it and returns undefined. */
type Read = (value: unknown, at: string, depth: number, reading: Reading) => unknown;

/**
 * Reads a message from the platform's JSON: null is not set, enums are words,
 * literals and labels may be numbers and numbers texts, members that have no
 * field are noted.
 */
export function decodeMessage<Desc extends DescMessage>(
  desc: Desc,
  json: unknown,
  reading: Reading,
): Message & Record<string, unknown> {
  const message = readMessage(desc, json, "", 1, reading);
  return (message ?? create(desc)) as Message & Record<string, unknown>;
}

function readMessage(
  desc: DescMessage,
  json: unknown,
  at: string,
  depth: number,
  reading: Reading,
): Message | undefined {
  const name = at === "" ? "body" : at;
  if (depth > maxDepth) return reading.refuse(name, `is nested deeper than ${maxDepth} levels`);
  if (!isObject(json)) return reading.refuse(name, `${quote(json)} is not an object`);
  const message = create(desc) as Message & Record<string, unknown>;
  const fields = readersOf(desc);
  for (const [key, value] of Object.entries(json)) {
    const field = fields.get(key);
    if (field === undefined) reading.ignore(at, key);
    else if (value !== null && !reading.isFull) {
      const read = field.read(value, pathOf(at, key), depth, reading);
      if (read !== undefined) message[field.localName] = read;
    }
  }
  return message;
}

interface FieldReader {
  readonly localName: string;
  readonly read: Read;
}

const readers = new WeakMap<DescMessage, ReadonlyMap<string, FieldReader>>();

/** Fields by their REST names. What the codec itself fills has none. */
function readersOf(desc: DescMessage): ReadonlyMap<string, FieldReader> {
  let known = readers.get(desc);
  if (known === undefined) {
    const fields = desc.fields.filter(({ name }) => name !== "ignored_fields");
    known = new Map(
      fields.map((field) => [field.jsonName, { localName: field.localName, read: readerOf(field) }]),
    );
    readers.set(desc, known);
  }
  return known;
}

/** Literals and parameters, which the platform takes as numbers too. */
const looseTexts: ReadonlySet<string> = new Set([
  "engage.analysis.v1.EventMetric.analysis_params",
  "engage.analysis.v1.Filter.ftv",
  "engage.analysis.v1.QuotaTimeRange.params",
]);

function readerOf(field: DescField): Read {
  const element = elementReaderOf(field);
  return field.fieldKind === "list" ? readList(element, emptyOf(field)) : element;
}

function elementReaderOf(field: DescField): Read {
  const { message, enum: words } = field;
  if (message?.typeName === GroupValueSchema.typeName) return readGroup;
  if (message !== undefined) {
    return (value, at, depth, reading) => readMessage(message, value, at, depth + 1, reading);
  }
  if (words !== undefined) {
    const known = wordsOf(words);
    const valid = `valid are ${quoteList(known)}`;
    // Looked up once: reading the option of each value took most of the time of a body.
    const numbers = new Map<unknown, number | undefined>(known.map((word) => [word, numberOf(words, word)]));
    numbers.set("", 0);
    if (words.typeName === ValueFormatSchema.typeName) return lenientWord(numbers, valid);
    return (value, at, _depth, reading) =>
      numbers.get(value) ?? reading.refuse(at, `${quote(value)} is unknown, ${valid}`);
  }
  if (field.scalar === ScalarType.INT32 || field.scalar === ScalarType.DOUBLE) return numberReaderOf(field);
  return looseTexts.has(`${field.parent.typeName}.${field.name}`)
    ? readLooseText
    : scalarReaders[field.scalar as ScalarType]!;
}

/** A format says how numbers are written, no more, so an unknown one is no reason to refuse a query. */
function lenientWord(numbers: ReadonlyMap<unknown, number | undefined>, valid: string): Read {
  return (value, at, _depth, reading) => {
    const known = numbers.get(typeof value === "string" ? value.toLowerCase() : value);
    if (known === undefined) reading.ignoreWord(at, value, valid);
    return known;
  };
}

/** What stands for an element that can't be read, so that the others keep their places. */
function emptyOf({ message, enum: words, scalar }: DescField): () => unknown {
  if (message !== undefined) return () => create(message);
  return () => (words === undefined && scalar === ScalarType.STRING ? "" : 0);
}

function readList(element: Read, empty: () => unknown): Read {
  return (value, at, depth, reading) => {
    if (!Array.isArray(value)) return reading.refuse(at, `${quote(value)} is not a list`);
    const items: unknown[] = [];
    for (let i = 0; i < value.length && !reading.isFull; i++) {
      items.push(element(value[i], `${at}[${i}]`, depth, reading) ?? empty());
    }
    return items;
  };
}

const scalarReaders: Partial<Readonly<Record<ScalarType, Read>>> = {
  [ScalarType.STRING]: (value, at, _depth, reading) =>
    typeof value === "string" ? value : reading.refuse(at, `${quote(value)} is not a text`),
  [ScalarType.BOOL]: (value, at, _depth, reading) =>
    typeof value === "boolean" ? value : reading.refuse(at, `${quote(value)} is not true or false`),
  [ScalarType.INT64]: readProjectId,
};

const maxInt64 = 2n ** 63n - 1n;

/** The one field of 64 bits: a number, or the same as a text. */
function readProjectId(value: unknown, at: string, _depth: number, reading: Reading): bigint | undefined {
  const digits =
    value instanceof BigNumber
      ? value.digits
      : typeof value === "number" || typeof value === "string"
        ? String(value)
        : "";
  const id = /^\d{1,19}$/.test(digits) ? BigInt(digits) : 0n;
  if (id >= 1n && id <= maxInt64) return id;
  return reading.refuse(at, `${quote(value)} is not the id of a project, which is a whole number from 1 on`);
}

function readLooseText(value: unknown, at: string, _depth: number, reading: Reading): string | undefined {
  const text = textOf(value);
  if (text === undefined) return reading.refuse(at, `${quote(value)} is not a text, number, true or false`);
  const isBounded = !(value instanceof BigNumber) || Number.isFinite(Number(text));
  return isBounded ? text : reading.refuse(at, `${quote(value)} is beyond the largest number`);
}

function readGroup(value: unknown, at: string, _depth: number, reading: Reading): GroupValue | undefined {
  const text = textOf(value);
  if (text === undefined && value !== null) {
    return reading.refuse(at, `${quote(value)} is not a text or number`);
  }
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

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json) && !(json instanceof BigNumber);
}
