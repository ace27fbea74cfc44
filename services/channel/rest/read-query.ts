import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { maxViolations } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { knownNames, listKnown } from "../../../base/text/known-names.ts";
import { quote } from "../../../base/text/quote.ts";
import { EventUserQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import { isBig, isObject, pathOf, type ReadJson } from "./json-values.ts";
import { type EnumWords, type PlatformField, type PlatformForm, platformFieldsOf } from "./query-fields.ts";

/** The label of the group without a value. */
export const nullLabel = "(null)";
/** Matches labels that results write with an additional backslash, so that they differ from `(null)`. */
export const looksNull = /^\\*\(null\)$/;
/** The labels of the only group of a result without groups. */
const overallLabels: readonly unknown[] = ["Overall", "总体"];

/** The maximum depth of nested messages. Deeper ones are refused when the proto3 JSON is read. */
const maxDepth = 100;

/**
 * Translates a body to proto3 JSON in which queries and filters may be written as
 * in the platform's own API: with its words (`greater`), numbers among the
 * literals, and groups by their labels.
 * @param at the path of the message in violations
 */
export function readQuery(desc: DescMessage, json: JsonValue, at: string): ReadJson {
  const violations: Violation[] = [];
  return { json: readMessage(desc, json, { name: at, parent: undefined, depth: 1, violations }), violations };
}

interface Place {
  /** The name of the member, or its index in a list. */
  readonly name: string | number;
  readonly parent: Place | undefined;
  readonly depth: number;
  readonly violations: Violation[];
}

function refuse(place: Place, problem: string): undefined {
  place.violations.push({ field: placeText(place), description: problem });
}

/** Whether the violations have reached the limit of one error. */
function isFull({ violations }: Place): boolean {
  return violations.length >= maxViolations;
}

function placeText({ name, parent }: Place): string {
  if (parent === undefined) return String(name);
  return typeof name === "number" ? `${placeText(parent)}[${name}]` : pathOf(placeText(parent), name);
}

function readMessage(desc: DescMessage, json: JsonValue, place: Place): JsonValue {
  if (!isObject(json) || place.depth > maxDepth) return json;
  const fields = platformFieldsOf(desc);
  const refused = refuseDoubles(desc, json, place);
  const read: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(json)) {
    if (isFull(place)) break;
    if (refused.has(key)) continue;
    const field = fields.get(key);
    if (field === undefined || (value === null && !field.isList)) read.push([key, value]);
    else {
      const found = readField(field, value, {
        ...place,
        name: field.name,
        parent: place,
        depth: place.depth + 1,
      });
      if (found !== undefined) read.push([key, found]);
    }
  }
  const message: JsonObject = Object.fromEntries(read);
  return desc.typeName === EventUserQuerySchema.typeName ? withoutOverall(message) : message;
}

/** Refuses members of which only one may be set. Returns both names of each. */
function refuseDoubles({ oneofs }: DescMessage, json: JsonObject, place: Place): Set<string> {
  const doubles = oneofs.flatMap(({ name, fields }) => {
    const given = fields.filter((field) => (json[field.jsonName] ?? json[field.name] ?? null) !== null);
    if (given.length < 2) return [];
    const names = given.map((field) => field.name).join(" and ");
    refuse({ ...place, name, parent: place }, `is ${names}, valid is one of them`);
    return given;
  });
  return new Set(doubles.flatMap((field) => [field.jsonName, field.name]));
}

function readField({ form, isList }: PlatformField, value: JsonValue, place: Place): JsonValue | undefined {
  if (!isList) return readValue(form, value, place);
  if (!Array.isArray(value)) return value;
  const items: JsonValue[] = [];
  for (let i = 0; i < value.length && !isFull(place); i++) {
    const item = readValue(form, value[i]!, { ...place, name: i, parent: place });
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** Returns undefined for a value that means not set, or is not valid. */
function readValue(form: PlatformForm, value: JsonValue, place: Place): JsonValue | undefined {
  switch (form.kind) {
    case "message":
      return readMessage(form.message, value, place);
    case "words":
      return readWord(form.words, value, place);
    case "texts":
      return readText(value, place);
    case "labels":
      return readLabel(value, place);
  }
}

/** Reads a word, or the name or number of the enum's value. */
function readWord({ nameOf, wordOf }: EnumWords, value: JsonValue, place: Place) {
  const name = nameOf.get(value);
  if (name !== undefined) return name;
  if (value === "") return undefined;
  if (wordOf.has(value) || typeof value === "number") return value;
  const words = [...nameOf.keys()].map(String);
  const valid = typeof value === "string" ? knownNames(value, words) : listKnown(words);
  return refuse(place, `is ${quote(value)}, ${valid}`);
}

function readText(value: JsonValue, place: Place): JsonValue | undefined {
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" && !isBig(value)) return value;
  // JSON numbers beyond this range may have other digits than the caller wrote.
  if (!isBig(value) && Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return String(value);
  return refuse(place, `is a number beyond ${Number.MAX_SAFE_INTEGER}, write it as a text`);
}

function readLabel(value: JsonValue, place: Place): JsonValue | undefined {
  if (value === null || value === nullLabel) return { nullValue: null };
  if (isObject(value) || Array.isArray(value)) return value;
  const label = readText(value, place);
  if (label === undefined) return undefined;
  return { label: typeof label === "string" && looksNull.test(label) ? label.slice(1) : label };
}

function withoutOverall(query: JsonObject): JsonObject {
  const [first, ...others] = listOf(query, "sliceGroupVal", "slice_group_val");
  const isOverall = others.length === 0 && isObject(first) && overallLabels.includes(first["label"]);
  const view = query["eventView"] ?? query["event_view"];
  const isGrouped = isObject(view) && listOf(view, "groupBy", "group_by").length > 0;
  if (!isOverall || isGrouped) return query;
  const { sliceGroupVal: _group, slice_group_val: _sameGroup, ...rest } = query;
  return rest;
}

function listOf(object: JsonObject, ...names: readonly string[]): readonly JsonValue[] {
  const found = names.map((name) => object[name]).find((value) => value !== undefined);
  return Array.isArray(found) ? found : [];
}
