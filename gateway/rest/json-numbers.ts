import { type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { BigNumber } from "../../base/json/exact-numbers.ts";
import { readIntegerText } from "../../base/text/integer-text.ts";
import { quote, quoteText, shorten } from "../../base/text/quote.ts";
import { describeElement } from "./field-text.ts";
import { maxViolations, type Violation } from "./violations.ts";

interface Place {
  readonly at: string;
  readonly violations: Violation[];
}

/** The same value in a form that the library reads exactly. */
type Settle = (json: unknown, place: Place) => unknown;

/** The library reads no deeper, and says so. */
export const maxDepth = 100;

/**
 * Brings numbers into a form that the library reads as they were written:
 * whole numbers that no double holds become texts where the field is one of
 * integers. Notes texts of numbers that are not of proto3 JSON, which the
 * library takes as JavaScript does (`"0x1"`, `" 1"`).
 */
export function settleNumbers(
  desc: DescMessage,
  json: unknown,
  at: string,
  violations: Violation[],
): JsonValue {
  return settlerOf(desc)(json, { at, violations }, 1) as JsonValue;
}

type SettleMessage = (json: unknown, place: Place, depth: number) => unknown;

const settlers = new WeakMap<DescMessage, SettleMessage>();

function settlerOf(desc: DescMessage): SettleMessage {
  const known = settlers.get(desc);
  if (known !== undefined) return known;
  const settler = desc.typeName.startsWith("google.protobuf.") ? ofGoogle(desc) : ofMembers(desc);
  settlers.set(desc, settler);
  return settler;
}

function ofGoogle(desc: DescMessage): SettleMessage {
  const value = isWrapperDesc(desc) ? desc.fields[0] : undefined;
  if (value !== undefined) return ofScalar(value);
  // The numbers of a google.protobuf.Value are doubles.
  return (json, _place, depth) => roundWithin(json, depth);
}

function ofMembers(desc: DescMessage): SettleMessage {
  const fields = new Map<string, { readonly name: string; readonly settle: SettleMessage }>();
  for (const field of desc.fields) {
    const known = { name: field.name, settle: ofField(field) };
    fields.set(field.name, known).set(field.jsonName, known);
  }
  return (json, place, depth) => {
    if (!isObject(json)) {
      if (json !== null) note(place, place.at || "body", `${show(json)} is not an object`);
      return round(json);
    }
    if (depth > maxDepth) return json;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(json)) {
      if (place.violations.length >= maxViolations) break;
      const field = fields.get(key);
      if (field === undefined) continue;
      const at = place.at === "" ? field.name : `${place.at}.${field.name}`;
      const settled = field.settle(json[key], { ...place, at }, depth);
      if (settled === json[key]) continue;
      copy ??= { ...json };
      copy[key] = settled;
    }
    return copy ?? json;
  };
}

function ofField(field: DescField): SettleMessage {
  // Looked up when it is needed, for messages can hold themselves.
  const element: SettleMessage =
    field.message === undefined
      ? ofScalar(field)
      : (json, place, depth) => settlerOf(field.message as DescMessage)(json, place, depth + 1);
  if (field.fieldKind === "list") return ofList(element);
  if (field.fieldKind === "map") return ofMap(element, field.mapKey);
  return element;
}

function ofList(element: SettleMessage): SettleMessage {
  return (json, place, depth) => {
    if (!Array.isArray(json)) return round(json);
    let copy: unknown[] | undefined;
    for (let i = 0; i < json.length && place.violations.length < maxViolations; i++) {
      const settled = element(json[i], { ...place, at: `${place.at}[${i}]` }, depth);
      if (settled === json[i]) continue;
      copy ??= [...json];
      copy[i] = settled;
    }
    return copy ?? json;
  };
}

function ofMap(element: SettleMessage, key: ScalarType): SettleMessage {
  const hasNumbers = key !== ScalarType.STRING && key !== ScalarType.BOOL;
  return (json, place, depth) => {
    if (!isObject(json)) return round(json);
    const settled: [string, unknown][] = [];
    for (const name of Object.keys(json)) {
      if (place.violations.length >= maxViolations) break;
      const at = `${place.at}[${quoteText(name)}]`;
      const number = hasNumbers ? readIntegerText(name) : undefined;
      if (hasNumbers && number === undefined) note(place, at, "the key is not a whole number");
      settled.push([number?.toString() ?? name, element(json[name], { ...place, at }, depth)]);
    }
    return Object.fromEntries(settled);
  };
}

function ofScalar(field: DescField): Settle {
  switch (field.scalar) {
    case ScalarType.STRING:
      return ofType("string", field);
    case ScalarType.BOOL:
      return ofType("boolean", field);
    case ScalarType.BYTES:
    case undefined:
      return round;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (json, place) => {
        if (typeof json === "string" && !isNumberText(json)) refuse(place, json, field);
        return round(json);
      };
    default:
      return (json, place) => settleInteger(json, place, field);
  }
}

/** Noted here as well, so that a long list of nothing else is not walked to its end. */
function ofType(type: string, field: DescField): Settle {
  return (json, place) => {
    if (json !== null && typeof json !== type) refuse(place, json, field);
    return round(json);
  };
}

function settleInteger(json: unknown, place: Place, field: DescField): unknown {
  const isBig = json instanceof BigNumber;
  if (!isBig && typeof json !== "string") return json;
  const number = readIntegerText(isBig ? json.digits : json);
  if (number !== undefined) return number.toString();
  refuse(place, json, field);
  return round(json);
}

function refuse(place: Place, json: unknown, field: DescField): void {
  note(place, place.at, `${show(json)} is not ${describeElement(field)}`);
}

function show(json: unknown): string {
  return json instanceof BigNumber ? shorten(json.digits) : quote(json);
}

function note({ violations }: Place, field: string, description: string): void {
  if (violations.length < maxViolations) violations.push({ field, description, reason: "INVALID_VALUE" });
}

const numberWords: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity"]);

function isNumberText(text: string): boolean {
  return numberWords.has(text) || /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text);
}

/** As JSON.parse reads it. */
function round(json: unknown): unknown {
  return json instanceof BigNumber ? Number(json.digits) : json;
}

/** A copy only where there is such a number. */
function roundWithin(json: unknown, depth: number): unknown {
  if (typeof json !== "object" || json === null || depth > maxDepth) return json;
  if (json instanceof BigNumber) return round(json);
  const members = Object.entries(json);
  const rounded = members.map(([, item]) => roundWithin(item, depth + 1));
  if (members.every(([, item], i) => item === rounded[i])) return json;
  return Array.isArray(json) ? rounded : Object.fromEntries(members.map(([key], i) => [key, rounded[i]]));
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json) && !(json instanceof BigNumber);
}
