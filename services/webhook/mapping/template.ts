import { asBuffer } from "../../../base/json/utf8.ts";
import type { HandedBatch } from "../targets/target.ts";
import { compilePaths, jsonAt, type Located, locate, textAt } from "./locate.ts";
import { type DeliveryName, type Piece, type Placeholder, parseText, TemplateError } from "./placeholder.ts";

/** The input of a template: a message and its batch. */
export interface TemplateInput {
  readonly batch: Omit<HandedBatch, "elements">;
  readonly element: HandedBatch["elements"][number];
}

/**
 * The treatment of placeholders without a value. fail: the message becomes a dead letter. null: JSON null. omit: the
 * member or item is omitted. Within a longer text, null and omit stand for an empty text.
 */
export type Missing = "fail" | "null" | "omit";

/** A message has no value for a placeholder. */
export class MissingValueError extends Error {
  override readonly name = "MissingValueError";

  constructor(name: string) {
    super(`message has no ${name}`);
  }
}

/** A value of a message makes a request that can never be sent. */
export class UnsendableError extends Error {
  override readonly name = "UnsendableError";
}

/** A JSON value of a configuration file. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

interface Values {
  readonly input: TemplateInput;
  readonly found: readonly (Located | undefined)[];
}

/** Writes JSON or text; undefined: omitted. */
type Writer = (values: Values) => string | undefined;

/**
 * Compiles a JSON value with placeholders in its strings. A string that is a single placeholder becomes the value
 * itself, copied byte for byte from the message: objects, arrays, big numbers and the receipt are preserved. Within a
 * longer string the value is text.
 * @returns a function that writes JSON and throws MissingValueError
 * @throws TemplateError
 */
export function compileTemplate(template: Json, missing: Missing): (input: TemplateInput) => string {
  const slots = new Slots();
  const write = compileNode(template, [], { slots, missing });
  const tree = compilePaths(slots.paths);
  return (input) => write({ input, found: locate(input.element.json, tree, slots.paths.length) }) ?? "null";
}

/**
 * Compiles a text with placeholders. `quote` is applied to their values.
 * @throws TemplateError
 */
export function compileText(
  template: string,
  missing: Missing,
  quote: (text: string) => string = (text) => text,
): (input: TemplateInput) => string {
  return compileJoin(parseText(template, []), missing, quote);
}

/** Compiles a parsed text. */
export function compileJoin(
  pieces: readonly Piece[],
  missing: Missing,
  quote: (text: string) => string,
): (input: TemplateInput) => string {
  const slots = new Slots();
  const read = textReader(pieces, { slots, missing }, quote);
  const tree = compilePaths(slots.paths);
  return (input) => read({ input, found: locate(input.element.json, tree, slots.paths.length) });
}

class Slots {
  readonly paths: (readonly string[])[] = [];
  readonly #known = new Map<string, number>();

  of(path: readonly string[]): number {
    const key = JSON.stringify(path);
    const slot = this.#known.get(key) ?? this.paths.push(path) - 1;
    this.#known.set(key, slot);
    return slot;
  }
}

interface Context {
  readonly slots: Slots;
  readonly missing: Missing;
}

const maxDepth = 32;

function compileNode(node: Json, at: readonly (string | number)[], context: Context): Writer {
  if (at.length > maxDepth) throw new TemplateError(`is nested deeper than ${maxDepth} levels`, at);
  if (typeof node === "string") return compileString(node, at, context);
  if (typeof node !== "object" || node === null) return constant(JSON.stringify(node));
  if (Array.isArray(node)) {
    const items = node.map((item: Json, index) => compileNode(item, [...at, index], context));
    return (values) => `[${items.flatMap((write) => write(values) ?? []).join(",")}]`;
  }
  const members = Object.entries(node).map(([key, value]) => {
    const name = JSON.stringify(key);
    const write = compileNode(value, [...at, key], context);
    return (values: Values): string[] => {
      const json = write(values);
      return json === undefined ? [] : [`${name}:${json}`];
    };
  });
  return (values) => `{${members.flatMap((write) => write(values)).join(",")}}`;
}

function constant(json: string): Writer {
  return () => json;
}

function compileString(text: string, at: readonly (string | number)[], context: Context): Writer {
  const pieces = parseText(text, at);
  const [first] = pieces;
  if (pieces.length === 1 && typeof first === "object") return valueWriter(first, context);
  if (pieces.length === 1) return constant(JSON.stringify(first));
  const read = textReader(pieces, context, (value) => value);
  return (values) => JSON.stringify(read(values));
}

function valueWriter(placeholder: Placeholder, { slots, missing }: Context): Writer {
  const { name } = placeholder;
  const write: Writer =
    placeholder.kind === "delivery"
      ? ({ input }) => deliveryJson(placeholder.name, input)
      : pathReader(slots.of(placeholder.path), jsonAt);
  return (values) => {
    const json = write(values);
    if (json !== undefined || missing === "omit") return json;
    if (missing === "null") return "null";
    throw new MissingValueError(name);
  };
}

function textReader(
  pieces: readonly Piece[],
  { slots, missing }: Context,
  quote: (text: string) => string,
): (values: Values) => string {
  const readers = pieces.map((piece): ((values: Values) => string) => {
    if (typeof piece === "string") return () => piece;
    const read: Writer =
      piece.kind === "delivery"
        ? ({ input }) => deliveryText(piece.name, input)
        : pathReader(slots.of(piece.path), textAt);
    return (values) => {
      const text = read(values);
      if (text === undefined && missing === "fail") throw new MissingValueError(piece.name);
      return quote(text ?? "");
    };
  });
  return (values) => readers.map((read) => read(values)).join("");
}

function pathReader(slot: number, read: (json: Uint8Array, at: Located) => string): Writer {
  return ({ input, found }) => {
    const located = found[slot];
    return located === undefined ? undefined : read(input.element.json, located);
  };
}

function deliveryJson(name: DeliveryName, input: TemplateInput): string | undefined {
  const text = deliveryText(name, input);
  if (text === undefined || name === "@message" || name === "@index" || name === "@attempt") return text;
  return JSON.stringify(text);
}

/** Returns the value of a delivery name; undefined if there is none. `@index` counts from 1. */
function deliveryText(name: DeliveryName, { batch, element }: TemplateInput): string | undefined {
  switch (name) {
    case "@message":
      return asBuffer(element.json).toString("utf8");
    case "@delivery_id":
      return element.deliveryId;
    case "@batch_id":
      return batch.batchId;
    case "@channel":
      return batch.channel;
    case "@target":
      return batch.target;
    case "@request_id":
      return batch.requestId ?? undefined;
    case "@index":
      return String(element.index + 1);
    case "@attempt":
      return String(batch.attempt);
    case "@accepted_time":
      return new Date(batch.acceptedAtMs).toISOString();
    case "@replay":
      return batch.replay ?? undefined;
  }
}
