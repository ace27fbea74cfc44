import { Refused } from "./refused.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Readers of a request's members; what is absent, null or an empty text is undefined. */
export function member(from: Json, name: string): unknown {
  const value = from[name];
  return value === null || value === "" ? undefined : value;
}

export function readObject(value: unknown, field: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refused(field, "no object");
  }
  return value as Json;
}

export function readList(from: Json, name: string, field: string): readonly unknown[] {
  const value = member(from, name);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refused(field, "no list");
  return value;
}

export function readObjects(from: Json, name: string, field: string): readonly Json[] {
  return readList(from, name, field).map((value, at) => readObject(value, `${field}[${at}]`));
}

export function readText(from: Json, name: string, field: string): string | undefined {
  const value = member(from, name);
  if (value !== undefined && typeof value !== "string") throw new Refused(field, "no text");
  return value as string | undefined;
}

export function needText(from: Json, name: string, field: string): string {
  const text = readText(from, name, field);
  if (text === undefined) throw new Refused(field, "missing");
  return text;
}

export function readBoolean(from: Json, name: string, field: string): boolean {
  const value = member(from, name) ?? false;
  if (typeof value !== "boolean") throw new Refused(field, "no boolean");
  return value;
}

export function readNumber(from: Json, name: string, field: string): number | undefined {
  const value = member(from, name);
  // Its digits may stand in a text.
  const number = typeof value === "string" ? toNumber(value.trim()) : value;
  if (value !== undefined && typeof number !== "number") throw new Refused(field, "no number");
  return number as number | undefined;
}

export function readWhole(
  from: Json,
  name: string,
  field: string,
  least: number,
  most: number,
): number | undefined {
  const value = readNumber(from, name, field);
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new Refused(field, `not from ${least} to ${most}: ${value}`);
  }
  return value;
}

export function readWord<const W extends string>(
  from: Json,
  name: string,
  field: string,
  words: readonly W[],
): W | undefined {
  const text = readText(from, name, field);
  if (text === undefined) return undefined;
  if (!(words as readonly string[]).includes(text)) throw new Refused(field, `not one of ${words}: ${text}`);
  return text as W;
}

export function needWord<const W extends string>(
  from: Json,
  name: string,
  field: string,
  words: readonly W[],
): W {
  const word = readWord(from, name, field, words);
  if (word === undefined) throw new Refused(field, "missing");
  return word;
}

/** A number as it may stand in a literal; undefined for other texts. */
export function toNumber(text: string): number | undefined {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : undefined;
}

export function toWhole(text: string): number | undefined {
  return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined;
}
