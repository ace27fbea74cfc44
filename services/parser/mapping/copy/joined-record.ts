import type { ByteSink, Bytes } from "../../../../base/bytes/byte-sink.ts";
import { type Literal, literalOf, longWordBytes } from "../../../../base/bytes/literal.ts";
import type { Plan, UnchangedField } from "../plan.ts";
import type { Member } from "./member.ts";
import { isListAt, isNullAt, isTextAt, type Spans } from "./member-spans.ts";

/**
 * A part of the line that is copied in one piece: a value, the text of a value (a part of a text in the record), or a
 * run of members that are kept, without the comma before it.
 */
interface Part {
  readonly kind: "value" | "text" | "run";
  /** Places of its first and of its last field. */
  readonly first: number;
  readonly last: number;
}

/**
 * A record of a kind of lines as literals and parts of the line in turn, for lines without nulls. Writing it at once
 * takes half the time of writing it member by member.
 */
export interface JoinedRecord {
  readonly literals: readonly Literal[];
  /** The parts between the literals. */
  readonly parts: readonly Part[];
  /** Places of all fields that it has. */
  readonly places: readonly number[];
  /** Places of the fields that are ids. */
  readonly ids: readonly number[];
}

interface Members {
  readonly root: readonly Member[];
  readonly inside: readonly Member[];
}

/**
 * Returns undefined where a member is not copied, but read. Members whose fields the line does not have are left out.
 */
export function joinRecord(members: Members, plan: Plan): JoinedRecord | undefined {
  const root = members.root.filter(isPresent);
  const inside = members.inside.filter(isPresent);
  if ([...root, ...inside].some(({ literals }) => literals.length === 0)) return undefined;
  const joining = new Joining();
  joining.open("{");
  for (const member of root) joining.member(member);
  joining.runs(plan.root);
  if (inside.length > 0 || plan.rest.length > 0) {
    joining.open('"properties":{');
    for (const member of inside) joining.member(member);
    joining.runs(plan.rest);
    joining.text("}");
  }
  joining.text("}");
  const ids = root.flatMap(({ isId, isText, fields }) => (isId && !isText ? fields : []));
  return { literals: joining.texts.map(literalOf), parts: joining.parts, places: joining.places, ids };
}

function isPresent({ fields }: Member): boolean {
  return !fields.includes(0);
}

class Joining {
  readonly texts = [""];
  readonly parts: Part[] = [];
  readonly places: number[] = [];

  text(text: string): void {
    this.texts.push(this.texts.pop()! + text);
  }

  /** Begins an object, which is the first or a later member of the one around it. */
  open(head: string): void {
    this.#comma();
    this.text(head);
  }

  member({ literals, fields, isText }: Member): void {
    const [head, ...others] = literals.map(({ buffer }) => buffer.toString());
    this.#comma();
    // A head begins with its comma.
    this.text(head!.slice(1));
    for (const [index, place] of fields.entries()) {
      this.#part({ kind: isText ? "text" : "value", first: place, last: place });
      this.text(others[index]!);
    }
    this.places.push(...fields);
  }

  /** Fields that follow each other in the line are one run. */
  runs(fields: readonly UnchangedField[]): void {
    for (let from = 0; from < fields.length; ) {
      let to = from;
      while (fields[to + 1]?.at === fields[to]!.at + 1) to++;
      this.#comma();
      this.#part({ kind: "run", first: fields[from]!.at, last: fields[to]!.at });
      from = to + 1;
    }
    this.places.push(...fields.map(({ at }) => at));
  }

  #part(part: Part): void {
    this.parts.push(part);
    this.texts.push("");
  }

  #comma(): void {
    const before = this.texts.at(-1)!;
    if ((before !== "" || this.parts.length > 0) && !before.endsWith("{")) this.text(",");
  }
}

/** A shorter id may be empty, or null. */
const minIdBytes = 3;

/** What is copied of a line, in arrays that all lines share. */
const starts: number[] = [];
const ends: number[] = [];

interface JoinedLine {
  readonly bytes: Bytes;
  /** Offset of the line. */
  readonly start: number;
  readonly spans: Spans;
  readonly sink: ByteSink;
}

/**
 * Writes a joined record. Returns false and writes nothing without one, for a null or for a list in a text, near the
 * end of the bytes, and if no id is certain, but needed: the record is then written member by member.
 */
export function writeJoined(record: JoinedRecord | undefined, line: JoinedLine, needsId: boolean): boolean {
  const { bytes, spans } = line;
  if (record === undefined || (needsId && !hasId(record.ids, spans))) return false;
  const { literals, parts, places } = record;
  for (let index = 0; index < places.length; index++) {
    const at = places[index]! - 1;
    if (isNullAt(bytes.buffer, spans.starts[at]!)) return false;
  }
  for (let index = 0; index < parts.length; index++) if (!locate(parts[index]!, index, line)) return false;
  line.sink.interleave(literals, bytes.view, starts, ends);
  return true;
}

/** Finds the start and the end of a part; returns false if it cannot be copied. */
function locate({ kind, first, last }: Part, index: number, { bytes, start, spans }: JoinedLine): boolean {
  const { buffer } = bytes;
  const end = spans.ends[last - 1]!;
  if (end + longWordBytes > buffer.length) return false;
  if (kind === "run") {
    // Its key follows a comma after the member before it, or the brace.
    starts[index] = (first === 1 ? start : spans.ends[first - 2]!) + 1;
    ends[index] = end;
    return true;
  }
  const valueStart = spans.starts[first - 1]!;
  const isText = kind === "text";
  if (isText && isListAt(buffer, valueStart)) return false;
  const quotes = isText && isTextAt(buffer, valueStart) ? 1 : 0;
  starts[index] = valueStart + quotes;
  ends[index] = end - quotes;
  return true;
}

function hasId(ids: readonly number[], { starts, ends }: Spans): boolean {
  for (let index = 0; index < ids.length; index++) {
    const at = ids[index]! - 1;
    if (ends[at]! - starts[at]! >= minIdBytes) return true;
  }
  return false;
}
