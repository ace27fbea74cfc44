import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { nearestName } from "../../base/text/nearest.ts";
import { quote, quoteText, shorten } from "../../base/text/quote.ts";
import { compileJsonReader, isPlain, type ReadJson } from "../codec/json-read.ts";
import { describeElement, describeField } from "./field-text.ts";
import { maxDepth, settleNumbers } from "./json-numbers.ts";
import { findField } from "./parameters.ts";
import { badRequest, maxViolations, type Violation } from "./violations.ts";

/** What is done with members that have no field: mostly they are misspelt. */
export type UnknownMembers = "refuse" | "ignore";

/**
 * Reads a message from proto3 JSON, of which `parseJson` may have made
 * BigNumbers. Throws INVALID_ARGUMENT with a violation for each bad field, by
 * its path after `at`. The library reads strictly first, for it drops unknown
 * enum names without a word as soon as it is told to ignore unknown keys, and
 * its errors name no path.
 */
export function decodeJson(
  desc: DescMessage,
  json: JsonValue,
  at = "",
  unknown: UnknownMembers = "refuse",
): Message {
  return readPlain(desc, json, unknown) ?? decodeOther(desc, json, at, unknown);
}

const readers = {
  refuse: new WeakMap<DescMessage, ReadJson>(),
  ignore: new WeakMap<DescMessage, ReadJson>(),
};

/** The message where all of it is as most callers send it, else undefined. */
export function readPlain(desc: DescMessage, json: JsonValue, unknown: UnknownMembers): Message | undefined {
  let reader = readers[unknown].get(desc);
  if (reader === undefined) {
    reader = compileJsonReader(desc, unknown === "ignore");
    readers[unknown].set(desc, reader);
  }
  return reader(json);
}

function decodeOther(desc: DescMessage, json: JsonValue, at: string, unknown: UnknownMembers): Message {
  const violations: Violation[] = [];
  const wrongNumbers: Violation[] = [];
  const settled = settleNumbers(desc, json, at, wrongNumbers);
  if (wrongNumbers.length === 0) {
    try {
      return fromJson(desc, settled);
    } catch {
      // What is wrong is looked for below.
    }
  }
  const known = sift(desc, settled, { at, depth: 1, violations, unknown });
  if (violations.length + wrongNumbers.length > 0) throw badRequest(joined(violations, wrongNumbers));
  try {
    return fromJson(desc, known);
  } catch (error) {
    throw badRequest([invalid(at === "" ? "body" : at, reasonOf(error))]);
  }
}

/** Both find some of the same; what is said of numbers quotes them as they were written. */
function joined(violations: readonly Violation[], wrongNumbers: readonly Violation[]): readonly Violation[] {
  const byField = new Map(wrongNumbers.map((violation) => [violation.field, violation]));
  const found = new Set(violations.map(({ field }) => field));
  return [
    ...violations.map((violation) => byField.get(violation.field) ?? violation),
    ...wrongNumbers.filter(({ field }) => !found.has(field)),
  ].slice(0, maxViolations);
}

interface Place {
  readonly at: string;
  readonly depth: number;
  readonly violations: Violation[];
  readonly unknown: UnknownMembers;
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
    if (violations.length >= maxViolations) break;
    const field = findField(desc, key);
    if (field === undefined) {
      if (place.unknown === "refuse") violations.push(unknownMember(desc, key, at));
      continue;
    }
    const inner = { ...place, at: at === "" ? field.name : `${at}.${field.name}` };
    known[key] = siftField(desc, field, value, inner);
  }
  return known;
}

function unknownMember({ typeName, fields }: DescMessage, key: string, at: string): Violation {
  const names = fields.map(({ name, jsonName }) => (key.includes("_") ? name : jsonName));
  const nearest = nearestName(key, names);
  const valid = names.length === 0 ? `${typeName} has none` : `valid are ${names.join(", ")}`;
  const hint = nearest === undefined ? `${valid}: leave it out` : `the nearest is ${JSON.stringify(nearest)}`;
  const field = at === "" ? shorten(key) : `${at}.${shorten(key)}`;
  return { field, description: `is not a known member, ${hint}`, reason: "UNKNOWN_MEMBER" };
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
