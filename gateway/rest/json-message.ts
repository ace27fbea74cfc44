import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { quote, quoteText, shorten } from "../../base/text/quote.ts";
import { compileJsonReader, isPlain, type ReadJson } from "../json-read.ts";
import { describeElement, describeField } from "./field-text.ts";
import { findField } from "./parameters.ts";
import { badRequest, type Violation } from "./violations.ts";

/** The library reads no deeper either. */
const maxDepth = 100;
const maxViolations = 20;

/**
 * Reads a message from proto3 JSON; keys without a field are ignored. Throws
 * INVALID_ARGUMENT with a violation for each bad field, by its path after `at`.
 * The library reads strictly first, for it drops unknown enum names without a
 * word as soon as it is told to ignore unknown keys, and its errors name no path.
 */
export function decodeJson(desc: DescMessage, json: JsonValue, at = ""): Message {
  const plain = readerOf(desc)(json);
  if (plain !== undefined) return plain;
  try {
    return fromJson(desc, json);
  } catch {
    return decodeWithCare(desc, json, at);
  }
}

const readers = new WeakMap<DescMessage, ReadJson>();

function readerOf(desc: DescMessage): ReadJson {
  const known = readers.get(desc);
  if (known !== undefined) return known;
  const reader = compileJsonReader(desc);
  readers.set(desc, reader);
  return reader;
}

function decodeWithCare(desc: DescMessage, json: JsonValue, at: string): Message {
  const violations: Violation[] = [];
  const known = sift(desc, json, { at, depth: 1, violations });
  if (violations.length > 0) throw badRequest(violations);
  try {
    return fromJson(desc, known);
  } catch (error) {
    throw badRequest([invalid(at === "" ? "body" : at, reasonOf(error))]);
  }
}

interface Place {
  readonly at: string;
  readonly depth: number;
  readonly violations: Violation[];
}

/** A copy without the keys that have no field; notes what is wrong with the others, and ends when there is no room for more. */
function sift(desc: DescMessage, json: JsonValue, place: Place): JsonValue {
  const { at, depth, violations } = place;
  const name = at === "" ? "body" : at;
  if (violations.length >= maxViolations) return json;
  if (depth > maxDepth) {
    violations.push(invalid(name, `is nested deeper than ${maxDepth} levels`));
    return json;
  }
  if (desc.typeName.startsWith("google.protobuf.")) {
    const problem = problemOf(desc, json);
    if (problem !== undefined)
      violations.push(invalid(name, `${quote(json)} is not a ${desc.typeName}: ${problem}`));
    return json;
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    violations.push(invalid(name, `${quote(json)} is not an object`));
    return json;
  }
  const known: JsonObject = {};
  for (const [key, value] of Object.entries(json)) {
    const field = findField(desc, key);
    if (field === undefined) continue;
    const inner = { ...place, at: at === "" ? field.name : `${at}.${field.name}` };
    known[key] = siftField(desc, field, value, inner);
  }
  return known;
}

function siftField(desc: DescMessage, field: DescField, json: JsonValue, place: Place): JsonValue {
  const { at, violations } = place;
  const below = { ...place, depth: place.depth + 1 };
  const isNullable = field.message?.typeName === "google.protobuf.Value";
  if (json === null && !isNullable) return json;
  if (field.message !== undefined && field.fieldKind === "message") return sift(field.message, json, below);
  if (field.message !== undefined && field.fieldKind === "list" && Array.isArray(json)) {
    const { message } = field;
    const known: JsonValue[] = [];
    for (let i = 0; i < json.length && violations.length < maxViolations; i++) {
      known.push(sift(message, json[i]!, { ...below, at: `${at}[${i}]` }));
    }
    return known;
  }
  if (field.message !== undefined && field.fieldKind === "map" && isObject(json)) {
    const { message } = field;
    const known: [string, JsonValue][] = [];
    for (const key of Object.keys(json)) {
      if (violations.length >= maxViolations) break;
      known.push([key, sift(message, json[key]!, { ...below, at: `${at}[${quoteText(key)}]` })]);
    }
    return Object.fromEntries(known);
  }
  if (violations.length >= maxViolations || isPlain(field, json)) return json;
  if (problemOf(desc, { [field.jsonName]: json }) !== undefined) {
    violations.push(...narrow(desc, field, json, place));
  }
  return json;
}

/** Elements that the library reads in one call: an exception costs it a thousand times as much as an element. */
const chunkSize = 256;

/** A list or map of scalars is bad: names the first of its bad elements. */
function narrow(
  desc: DescMessage,
  field: DescField,
  json: JsonValue,
  { at, violations }: Place,
): readonly Violation[] {
  const room = maxViolations - violations.length;
  const isBad = (value: JsonValue): boolean => problemOf(desc, { [field.jsonName]: value }) !== undefined;
  if (field.fieldKind === "list" && Array.isArray(json)) {
    return firstBad(json, isBad, room).map(([item, i]) =>
      invalid(`${at}[${i}]`, `${quote(item)} is not ${describeElement(field)}`),
    );
  }
  if (field.fieldKind === "map" && isObject(json)) {
    const isBadMap = (entries: readonly (readonly [string, JsonValue])[]) =>
      isBad(Object.fromEntries(entries));
    return firstBad(Object.entries(json), isBadMap, room).map(([[key, item]]) =>
      invalid(`${at}[${quoteText(key)}]`, `${quote(item)} is not a valid value under this key`),
    );
  }
  return [invalid(at, `${quote(json)} is not ${describeField(field)}`)];
}

/** The first bad elements with their places, at most `count`. */
function firstBad<T>(
  list: readonly T[],
  isBad: (some: T[]) => boolean,
  count: number,
): readonly (readonly [T, number])[] {
  const bad: (readonly [T, number])[] = [];
  for (let from = 0; from < list.length && bad.length < count; from += chunkSize) {
    const chunk = list.slice(from, from + chunkSize);
    if (!isBad(chunk)) continue;
    for (let i = 0; i < chunk.length && bad.length < count; i++) {
      if (isBad([chunk[i]!])) bad.push([chunk[i]!, from + i]);
    }
  }
  return bad;
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function problemOf(desc: DescMessage, json: JsonValue): string | undefined {
  try {
    fromJson(desc, json);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** What the library says, without the part that repeats what was decoded. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shorten(message.replace(/^cannot decode .*? from JSON:? ?/, ""));
}

function invalid(field: string, description: string): Violation {
  return { field, description, reason: "INVALID_VALUE" };
}
