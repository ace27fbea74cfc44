import { ByteSink, type Bytes, bytesOf } from "../../../../base/bytes/byte-sink.ts";
import { longWordBytes } from "../../../../base/bytes/literal.ts";
import { type CopyLine, Refusal } from "../../line/line.ts";
import type { SlotTable, Values } from "../fields.ts";
import type { Plan, Planner, UnchangedField } from "../plan.ts";
import { isPlainText, writeValue } from "../write.ts";
import { compileMayAdd } from "./added-texts.ts";
import { writeJoined } from "./joined-record.ts";
import { type CopyRules, type LineShape, shapeOf, slotsToRead } from "./line-shape.ts";
import type { Member } from "./member.ts";
import { findMemberSpans, isListAt, isNullAt, isTextAt, type Spans, valueAt } from "./member-spans.ts";

export interface Copier {
  readonly copyLine: CopyLine;
  /** Returns the record of a line of JSON; undefined when the line has to be parsed. */
  readonly mapLine: (line: string) => string | undefined;
  /** Reports whether a text in a record may have this part where no text of the line has it. */
  readonly mayAdd: (part: string) => boolean;
}

/** Most kinds of lines that are tried: as many as the planner remembers. */
const maxShapes = 8;
/**
 * Approximate costs in µs of trying a line in vain and of preparing a shape, and what copying a line saves. When the
 * lost cost reaches the maximum, the next lines of the format are not tried: lines that are all different would take
 * twice the time.
 */
const missCost = 1;
const shapeCost = 6;
const copySaves = 3;
const maxLostCost = 64;
const skippedLines = 1_000;

const comma = 44;
const objectStart = 123;
const objectEnd = 125;
/** Length of `""`. */
const emptyTextLength = 2;
const propertiesHead = bytesOf(',"properties":');

/**
 * Creates the fast copy path for lines of JSON: lines with the same keys in the same order as an earlier line are not
 * parsed. Fields that are kept are copied as bytes, neighbours in one piece, and only fields that entries convert
 * become values. A line takes a quarter of the time of `../mapping.ts`, its slow twin, and gives the same record to the
 * last character. A batch of 1,000 lines takes 0.4 of the time. `test/services/parser/mapping/copy/copy.test.ts`
 * compares both for random lines and
 * `test/services/parser/copied-lines.test.ts` for whole batches. `npm run bench -- parse-lines` shows the gain.
 * `member-spans.ts` finds the values in the bytes, `line-shape.ts` prepares the plan of a kind of lines,
 * `joined-record.ts` writes records whose fields are all copied.
 */
export function createCopier(rules: CopyRules, table: SlotTable, planner: Planner): Copier {
  const shapes: LineShape[] = [];
  const spans: Spans = { starts: [], ends: [] };
  const readSlots = slotsToRead(rules, table);
  let lostCost = 0;
  let linesToSkip = 0;

  function addLatestShape(): void {
    const plan = planner.latest();
    if (plan === undefined || shapes.some((shape) => shape.plan === plan)) return;
    shapes.unshift(shapeOf(plan, rules, readSlots, table));
    if (shapes.length > maxShapes) shapes.pop();
    lostCost += shapeCost;
  }
  function find(bytes: Bytes, start: number, end: number): LineShape | undefined {
    if (linesToSkip > 0) {
      linesToSkip--;
      return undefined;
    }
    addLatestShape();
    for (let index = 0; index < shapes.length; index++) {
      const shape = shapes[index]!;
      if (!findMemberSpans(bytes, start, end, shape.heads, spans)) continue;
      lostCost = Math.max(0, lostCost - copySaves);
      if (index > 0) {
        // Frequent shapes move to the front.
        shapes[index] = shapes[index - 1]!;
        shapes[index - 1] = shape;
      }
      return shape;
    }
    lostCost += missCost;
    if (lostCost >= maxLostCost) {
      lostCost = 0;
      linesToSkip = skippedLines;
    }
    return undefined;
  }
  const copyLine: CopyLine = (bytes, start, end, openSink) => {
    const shape = find(bytes, start, end);
    if (shape === undefined) return false;
    try {
      const values = valuesOf(bytes.buffer, shape, spans);
      if (!hasRequired(rules, values, shape.plan)) return false;
      const copying = { bytes, shape, spans, values, sink: openSink(), start };
      return writeJoined(shape.joined, copying, rules.needsId) || writeRecord(copying, rules.needsId);
    } catch {
      // Parsing the line throws the same error, which becomes the reason of the failure.
      return false;
    }
  };
  const mayAdd = compileMayAdd([...rules.root, ...rules.inside]);
  return { copyLine, mapLine: (line) => mapText(copyLine, line), mayAdd };
}

function hasRequired({ required, isNull }: CopyRules, values: Values, { places }: Plan): boolean {
  for (const { get } of required) if (isNull(get(values, places))) return false;
  return true;
}

/** Lines that are strings are encoded and their records decoded again, which is faster up to this length. */
const maxTextLength = 16_384;
/** With bytes after it, a line can be copied in whole words. */
const padding = " ".repeat(longWordBytes);

function mapText(copyLine: CopyLine, line: string): string | undefined {
  if (line.length > maxTextLength || line.charCodeAt(0) !== objectStart || !line.isWellFormed())
    return undefined;
  const bytes = bytesOf(line + padding);
  const length = bytes.buffer.length - padding.length;
  const sink = new ByteSink(length * 2);
  return copyLine(bytes, 0, length, () => sink) ? sink.utf8(0, sink.length) : undefined;
}

function valuesOf(bytes: Buffer, { read }: LineShape, { starts, ends }: Spans): Values {
  const values: unknown[] = [undefined];
  for (let index = 0; index < read.length; index++) {
    const place = read[index]!;
    values[place] = valueAt(bytes, starts[place - 1]!, ends[place - 1]!);
  }
  return values;
}

interface CopyContext {
  readonly bytes: Bytes;
  readonly start: number;
  readonly shape: LineShape;
  readonly spans: Spans;
  readonly values: Values;
  readonly sink: ByteSink;
}

/** Writes each member after a comma, then replaces the first comma by a brace. */
function writeRecord(copying: CopyContext, needsId: boolean): boolean {
  const { shape, sink } = copying;
  const before = sink.length;
  if (!(needsId ? writeRootWithId(shape.root, copying) : writeMembers(shape.root, copying))) return false;
  copyUnchanged(shape.plan.root, copying);
  const head = sink.length;
  writeAll(propertiesHead, sink);
  const properties = sink.length;
  if (!writeMembers(shape.inside, copying)) return false;
  copyUnchanged(shape.plan.rest, copying);
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

/** Returns false when the line has to be parsed for one of the members. */
function writeMembers(members: readonly Member[], copying: CopyContext): boolean {
  for (let index = 0; index < members.length; index++) {
    if (!writeMember(members[index]!, copying)) return false;
  }
  return true;
}

/** Returns false also when no id was written, or one so short that it may be empty. */
function writeRootWithId(members: readonly Member[], copying: CopyContext): boolean {
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

function writeMember(member: Member, copying: CopyContext): boolean {
  return member.literals.length > 0 ? copyMember(member, copying) : readMember(member, copying);
}

function copyMember({ literals, fields, isText }: Member, { bytes, spans, sink }: CopyContext): boolean {
  const { buffer } = bytes;
  for (let index = 0; index < fields.length; index++) {
    const place = fields[index]!;
    if (place === 0 || isNullAt(buffer, spans.starts[place - 1]!)) return true;
    // A list in a text is JSON, which has to be escaped.
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

function readMember({ target, head }: Member, { shape, values, sink }: CopyContext): boolean {
  const value = target.read(values, shape.plan.places);
  if (value === undefined) return true;
  if (value instanceof Refusal) return false;
  writeAll(head, sink);
  sink.text(textOf(value, target.isLineText));
  return true;
}

function textOf(value: unknown, isOfLine: boolean): string {
  return typeof value === "string" && (isOfLine || isPlainText(value)) ? `"${value}"` : writeValue(value);
}

/** Copies the kept fields with their keys; fields that follow each other in the line are copied together. */
function copyUnchanged(
  fields: readonly UnchangedField[],
  { bytes, start: lineStart, spans, sink }: CopyContext,
): void {
  const { starts, ends } = spans;
  let from = 0;
  let to = 0;
  for (let index = 0; index < fields.length; index++) {
    const at = fields[index]!.at - 1;
    if (isNullAt(bytes.buffer, starts[at]!)) continue;
    // A member begins at the comma after the member before it, or at the brace.
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
