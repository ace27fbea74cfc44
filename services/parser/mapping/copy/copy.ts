import { type CopyLine, Refusal } from "../../line/line.ts";
import { ByteSink, type Bytes, bytesOf } from "../../output/byte-sink.ts";
import type { Kept, Plan, Planner } from "../plan.ts";
import type { SlotTable, Values } from "../slots.ts";
import { isPlainText, writeValue } from "../write.ts";
import { isListAt, isNullAt, isTextAt, type Spans, scanMembers, valueAt } from "./scan.ts";
import { type CopyRules, type Member, type Shape, shapeOf, slotsToRead } from "./shape.ts";

export interface Copier {
  readonly copyLine: CopyLine;
  /** The record of a line of JSON; undefined when the line has to be parsed to know it. */
  readonly mapLine: (line: string) => string | undefined;
}

/** Kinds of lines that are tried: as many as the planner knows. */
const maxShapes = 8;
/**
 * About what trying a line in vain and preparing a shape cost, and what copying a line spares, in units of 1 µs. When
 * it has cost this much more, lines of the format are left alone for a while: ever new kinds would take twice the time.
 */
const missCost = 1;
const shapeCost = 6;
const copySaves = 3;
const maxDebt = 64;
const restLines = 1_000;

const comma = 44;
const objectStart = 123;
const objectEnd = 125;
/** Quotes with nothing between them. */
const emptyTextLength = 2;
const propertiesHead = bytesOf(',"properties":');

/**
 * Maps lines whose keys stand as in a line before without parsing them: fields that are kept are copied as they stand,
 * neighbours in one piece, and only fields that entries look into become values. That takes a quarter of the time.
 * What comes out is the same to the last character.
 */
export function createCopier(rules: CopyRules, table: SlotTable, planner: Planner): Copier {
  const shapes: Shape[] = [];
  const spans: Spans = { starts: [], ends: [] };
  const readSlots = slotsToRead(rules, table);
  let debt = 0;
  let resting = 0;

  function learn(): void {
    const plan = planner.latest();
    if (plan === undefined || shapes.some((shape) => shape.plan === plan)) return;
    shapes.unshift(shapeOf(plan, rules, readSlots, table));
    if (shapes.length > maxShapes) shapes.pop();
    debt += shapeCost;
  }
  function find(bytes: Bytes, start: number, end: number): Shape | undefined {
    if (resting > 0) {
      resting--;
      return undefined;
    }
    learn();
    for (let index = 0; index < shapes.length; index++) {
      const shape = shapes[index]!;
      if (!scanMembers(bytes, start, end, shape.heads, spans)) continue;
      debt = Math.max(0, debt - copySaves);
      if (index > 0) {
        // The frequent ones come to stand first.
        shapes[index] = shapes[index - 1]!;
        shapes[index - 1] = shape;
      }
      return shape;
    }
    debt += missCost;
    if (debt >= maxDebt) {
      debt = 0;
      resting = restLines;
    }
    return undefined;
  }
  const copyLine: CopyLine = (bytes, start, end, openSink) => {
    const shape = find(bytes, start, end);
    if (shape === undefined) return false;
    try {
      const values = valuesOf(bytes.buffer, shape, spans);
      if (!hasRequired(rules, values, shape.plan)) return false;
      return writeRecord({ bytes, shape, spans, values, sink: openSink(), start }, rules.needsId);
    } catch {
      // Parsing the line will throw it again, where it becomes the reason of the refusal.
      return false;
    }
  };
  return { copyLine, mapLine: (line) => mapText(copyLine, line) };
}

function hasRequired({ required, isNull }: CopyRules, values: Values, { places }: Plan): boolean {
  for (const { get } of required) if (isNull(get(values, places))) return false;
  return true;
}

/** Lines that are texts already are written out and read in again, which is worth it up to some length. */
const maxTextLength = 16_384;

function mapText(copyLine: CopyLine, line: string): string | undefined {
  if (line.length > maxTextLength || line.charCodeAt(0) !== objectStart || !line.isWellFormed())
    return undefined;
  const bytes = bytesOf(line);
  const { length } = bytes.buffer;
  const sink = new ByteSink(length * 2);
  return copyLine(bytes, 0, length, () => sink) ? sink.utf8(0, sink.length) : undefined;
}

function valuesOf(bytes: Buffer, { read }: Shape, { starts, ends }: Spans): Values {
  const values: unknown[] = [undefined];
  for (let index = 0; index < read.length; index++) {
    const place = read[index]!;
    values[place] = valueAt(bytes, starts[place - 1]!, ends[place - 1]!);
  }
  return values;
}

interface Copying {
  readonly bytes: Bytes;
  readonly start: number;
  readonly shape: Shape;
  readonly spans: Spans;
  readonly values: Values;
  readonly sink: ByteSink;
}

/** Each member is written behind a comma; where it is the first, a brace then takes the place of that. */
function writeRecord(copying: Copying, needsId: boolean): boolean {
  const { shape, sink } = copying;
  const before = sink.length;
  if (!(needsId ? writeRootWithId(shape.root, copying) : writeMembers(shape.root, copying))) return false;
  copyKept(shape.plan.root, copying);
  const head = sink.length;
  writeAll(propertiesHead, sink);
  const properties = sink.length;
  if (!writeMembers(shape.inside, copying)) return false;
  copyKept(shape.plan.rest, copying);
  if (sink.length === properties) sink.truncate(head);
  else {
    sink.overwrite(properties, objectStart);
    sink.byte(objectEnd);
  }
  if (sink.length === before) sink.byte(objectStart);
  else sink.overwrite(before, objectStart);
  sink.byte(objectEnd);
  return true;
}

function writeAll(bytes: Bytes, sink: ByteSink): void {
  sink.copy(bytes, 0, bytes.buffer.length);
}

/** False when the line has to be parsed for one of them. */
function writeMembers(members: readonly Member[], copying: Copying): boolean {
  for (let index = 0; index < members.length; index++) {
    if (!writeMember(members[index]!, copying)) return false;
  }
  return true;
}

/** False also when no id was written, or such a short one that it may be empty. */
function writeRootWithId(members: readonly Member[], copying: Copying): boolean {
  const { sink } = copying;
  let hasId = false;
  for (let index = 0; index < members.length; index++) {
    const member = members[index]!;
    const before = sink.length;
    if (!writeMember(member, copying)) return false;
    hasId ||= member.isId && sink.length - before > member.head.buffer.length + emptyTextLength;
  }
  return hasId;
}

function writeMember(member: Member, copying: Copying): boolean {
  return member.literals.length > 0 ? copyMember(member, copying) : readMember(member, copying);
}

function copyMember({ literals, fields, isText }: Member, { bytes, spans, sink }: Copying): boolean {
  const { buffer } = bytes;
  for (let index = 0; index < fields.length; index++) {
    const place = fields[index]!;
    if (place === 0 || isNullAt(buffer, spans.starts[place - 1]!)) return true;
    // A list within a text is JSON that has to be escaped.
    if (isText && isListAt(buffer, spans.starts[place - 1]!)) return false;
  }
  writeAll(literals[0]!, sink);
  for (let index = 0; index < fields.length; index++) {
    const at = fields[index]! - 1;
    const quote = isText && isTextAt(buffer, spans.starts[at]!) ? 1 : 0;
    sink.copy(bytes, spans.starts[at]! + quote, spans.ends[at]! - quote);
    writeAll(literals[index + 1]!, sink);
  }
  return true;
}

function readMember({ target, head }: Member, { shape, values, sink }: Copying): boolean {
  const value = target.read(values, shape.plan.places);
  if (value === undefined) return true;
  if (value instanceof Refusal) return false;
  writeAll(head, sink);
  sink.text(textOf(value, target.isOfLine));
  return true;
}

function textOf(value: unknown, isOfLine: boolean): string {
  return typeof value === "string" && (isOfLine || isPlainText(value)) ? `"${value}"` : writeValue(value);
}

/** The kept fields with their keys; those that follow each other in the line are copied together. */
function copyKept(kept: readonly Kept[], { bytes, start: lineStart, spans, sink }: Copying): void {
  const { starts, ends } = spans;
  let from = 0;
  let to = 0;
  for (let index = 0; index < kept.length; index++) {
    const at = kept[index]!.at - 1;
    if (isNullAt(bytes.buffer, starts[at]!)) continue;
    // A member begins at the comma that follows the member before it, or at the brace.
    const start = at === 0 ? lineStart : ends[at - 1]!;
    if (start !== to) {
      copyRun(bytes, from, to, sink);
      from = start;
    }
    to = ends[at]!;
  }
  copyRun(bytes, from, to, sink);
}

function copyRun(bytes: Bytes, from: number, to: number, sink: ByteSink): void {
  if (from === to) return;
  const at = sink.length;
  sink.copy(bytes, from, to);
  sink.overwrite(at, comma);
}
