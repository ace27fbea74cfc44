import { closeArray, comma, openArray, quote, space } from "../../../base/json/bytes.ts";
import { readLocalTime } from "../../../base/time/local-time.ts";
import type { Property } from "../../../store/events/events.ts";
import type { ProjectState } from "../load/project-state.ts";
import { isAcceptedTime } from "../record/check-record.ts";
import { maxListElements, maxTextBytes } from "../record/convert.ts";
import { readZoneOffset, zoneOffset } from "../record/properties.ts";
import { RecordValues } from "./record-values.ts";
import { gapsOf, type Role } from "./shape.ts";
import { isAt, ValueReader } from "./value-reader.ts";

/** The values of an event which the rules accept as it is. */
export interface ShapedEvent {
  readonly shape: Shape;
  /** The place of its first value. */
  readonly first: number;
  /** See CheckedEvent. */
  readonly timeMs: number;
  readonly eventNumber: number;
  readonly accountId: string | undefined;
  readonly distinctId: string | undefined;
  readonly uuid: string | undefined;
}

/** Records with the same members in the same order, of which only the values differ. */
export interface Shape {
  /** The number of places. */
  readonly size: number;
  /** The properties and the places of their values, from the first place of the record on. */
  readonly properties: readonly { readonly property: Property; readonly place: number }[];
  /** The places of members of the root; undefined where the shape has none. */
  readonly places: Readonly<Partial<Record<Extract<Role, string> | "zone", number>>>;
  /** The places of properties which are times. */
  readonly times: readonly number[];
}

/** A place in records: what may follow the values before it. The last one that followed is the first. */
type Node = Branch[];

interface Branch {
  /** The bytes up to the next value, or to the end of the record. */
  readonly bytes: Uint8Array;
  readonly role: Role | undefined;
  readonly next: Node;
  /** Of the end of a record. */
  readonly shape: Shape | undefined;
}

/** Limits the memory, and the time for records that are all different. */
const maxBranches = 4_096;
const maxBranchesOfNode = 64;
const maxFirstEvents = 16;

const nullBytes = Buffer.from("null");
const trueBytes = Buffer.from("true");
const falseBytes = Buffer.from("false");

/**
 * The shapes of earlier events of a project. A record of a known shape is not parsed: its values are found in the bytes
 * of the line, checked, and copied. Preparing it takes two thirds of the time (`bench/analysis/prepare.ts`) and gives
 * the same row; `test/services/event/shape/shaped-lines.test.ts` compares both. Values that need decoding, conversion
 * or a reason of refusal, such as escapes, are left to `checkRecord`.
 */
export class RecordShapes {
  /** Values of the records that were read since `clear`. */
  readonly values = new RecordValues();
  readonly #reader = new ValueReader();
  readonly #state: ProjectState;
  readonly #root: Node = [];
  /** The first events, which are found by the bytes of their names. */
  readonly #firstEvents: { readonly name: Uint8Array; readonly number: number }[] = [];
  /** Of the last match. */
  #shape: Shape | undefined;
  #branches = 0;

  constructor(state: ProjectState) {
    this.#state = state;
  }

  /** Whether a text read since `beginLine` had bytes beyond ASCII, which have not been checked. */
  get hasBeyondAscii(): boolean {
    return this.#reader.hasBeyondAscii;
  }

  clear(): void {
    this.values.clear();
  }

  beginLine(): void {
    this.#reader.hasBeyondAscii = false;
  }

  /** Adds the shape of a record that was accepted without dropped properties. @param record valid JSON */
  learn(record: Buffer): void {
    // A batch that is read before it is prepared has many records of a new shape.
    if (this.#branches >= maxBranches || this.match(record, 0) !== -1) return;
    const gaps = gapsOf(record, this.#state.rules.types);
    if (gaps === undefined) return;
    let node = this.#root;
    const roles: Role[] = [];
    for (const { bytes, role } of gaps) {
      let branch = node.find((one) => Buffer.compare(one.bytes, bytes) === 0);
      if (branch === undefined) {
        if (node.length >= maxBranchesOfNode) return;
        branch = { bytes, role, next: [], shape: role === undefined ? shapeOf(roles) : undefined };
        node.push(branch);
        this.#branches++;
      }
      if (role !== undefined) roles.push(role);
      node = branch.next;
    }
  }

  /**
   * Finds the values of the record that begins here, and its shape. Returns the offset after the record; -1 if it must
   * be parsed.
   * @param bytes with an LF after the line
   */
  match(bytes: Buffer, start: number): number {
    const { values } = this;
    let at = start;
    let node = this.#root;
    for (let place = values.length; ; place++) {
      const branch = branchAt(node, bytes, at);
      if (branch === undefined) return -1;
      at += branch.bytes.length;
      this.#shape = branch.shape;
      if (branch.shape !== undefined) return at;
      values.reserve(place + 1);
      at = this.#readValue(bytes, at, place, branch.role!);
      if (at === -1) return -1;
      node = branch.next;
    }
  }

  /** Returns the event that `match` has found, and keeps its values; undefined if it must be parsed. */
  take(bytes: Buffer, receivedMs: number): ShapedEvent | undefined {
    const event = this.#complete(bytes, this.#shape!, this.values.length, receivedMs);
    if (event !== undefined) this.values.length += event.shape.size;
    return event;
  }

  /** Returns the offset after the value; -1 if the record must be parsed. */
  #readValue(bytes: Buffer, at: number, place: number, role: Role): number {
    const { values } = this;
    const type = typeof role === "string" ? "text" : role.type;
    if (bytes[at] === quote) {
      const from = at + 1;
      const end = type === "text" || type === "time" ? this.#reader.endOfText(bytes, from) : -1;
      if (end === -1 || end - from > maxTextBytes) return -1;
      values.starts[place] = from;
      // An empty text is no value.
      values.ends[place] = end === from ? -1 : end;
      return end + 1;
    }
    if (isAt(bytes, at, nullBytes)) {
      values.ends[place] = -1;
      return at + nullBytes.length;
    }
    values.ends[place] = 0;
    if (type === "number") {
      const end = this.#reader.endOfNumber(bytes, at);
      values.numbers[place] = this.#reader.number;
      return end;
    }
    if (type === "boolean") {
      const isTrue = isAt(bytes, at, trueBytes);
      values.numbers[place] = isTrue ? 1 : 0;
      if (isTrue) return at + trueBytes.length;
      return isAt(bytes, at, falseBytes) ? at + falseBytes.length : -1;
    }
    return type === "list" && bytes[at] === openArray ? this.#readList(bytes, at, place) : -1;
  }

  /** Reads a list of texts. */
  #readList(bytes: Buffer, from: number, place: number): number {
    const list: string[] = [];
    for (let at = from + 1; bytes[at] === quote; at++) {
      const end = this.#reader.endOfText(bytes, at + 1);
      if (end === -1 || end - at > maxTextBytes || list.length >= maxListElements) return -1;
      list.push(bytes.toString("utf8", at + 1, end));
      at = end + 1;
      if (bytes[at] === closeArray) {
        this.values.numbers[place] = this.values.lists.push(list) - 1;
        return at + 1;
      }
      if (bytes[at] !== comma) return -1;
      if (bytes[at + 1] === space) at++;
    }
    return -1;
  }

  /** Checks and converts what depends on several values. */
  #complete(bytes: Buffer, shape: Shape, first: number, receivedMs: number): ShapedEvent | undefined {
    const { values } = this;
    const { places } = shape;
    const eventNumber = this.#eventAt(bytes, placeOf(first, places.event));
    const accountId = this.#textAt(bytes, placeOf(first, places.account));
    const distinctId = this.#textAt(bytes, placeOf(first, places.visitor));
    if (eventNumber === undefined || (accountId === undefined && distinctId === undefined)) return undefined;
    const toInstant = this.#zoneOf(first, places.zone);
    const localMs = this.#localTimeAt(bytes, placeOf(first, places.time));
    if (toInstant === undefined || localMs === undefined) return undefined;
    const timeMs = toInstant(localMs);
    if (!isAcceptedTime(timeMs, receivedMs)) return undefined;
    for (const place of shape.times) {
      const isEmpty = values.ends[first + place] === -1;
      const propertyMs = isEmpty ? 0 : this.#localTimeAt(bytes, first + place);
      if (propertyMs === undefined) return undefined;
      values.numbers[first + place] = toInstant(propertyMs);
    }
    const uuid = this.#textAt(bytes, placeOf(first, places.uuid));
    return { shape, first, timeMs, eventNumber, accountId, distinctId, uuid };
  }

  /** @param at a place among all values; -1 is none */
  #textAt(bytes: Buffer, at: number): string | undefined {
    const end = at === -1 ? -1 : this.values.ends[at]!;
    return end === -1 ? undefined : bytes.toString("utf8", this.values.starts[at]!, end);
  }

  #localTimeAt(bytes: Buffer, at: number): number | undefined {
    const end = at === -1 ? -1 : this.values.ends[at]!;
    return end === -1 ? undefined : readLocalTime(bytes, this.values.starts[at]!, end);
  }

  /** Returns the number of the event that is named at a place; undefined when it is new. */
  #eventAt(bytes: Buffer, at: number): number | undefined {
    const end = at === -1 ? -1 : this.values.ends[at]!;
    if (end === -1) return undefined;
    const start = this.values.starts[at]!;
    for (const { name, number } of this.#firstEvents) {
      if (name.length === end - start && isAt(bytes, start, name)) return number;
    }
    const number = this.#state.knownEvent(bytes.toString("utf8", start, end));
    if (number !== undefined && this.#firstEvents.length < maxFirstEvents)
      this.#firstEvents.push({ name: Uint8Array.from(bytes.subarray(start, end)), number });
    return number;
  }

  /** Returns the function from local time to instant; undefined when the offset of the record is not valid. */
  #zoneOf(first: number, place: number | undefined): ((localMs: number) => number) | undefined {
    if (place === undefined || this.values.ends[first + place] === -1) return this.#state.rules.toInstant;
    const offsetMs = readZoneOffset(this.values.numbers[first + place]);
    return offsetMs === undefined ? undefined : (localMs) => localMs - offsetMs;
  }
}

/** Returns a place among all values; -1 if the shape has none. */
function placeOf(first: number, place: number | undefined): number {
  return place === undefined ? -1 : first + place;
}

/** Returns the branch whose bytes are at an offset, and moves it forward. */
function branchAt(node: Node, bytes: Uint8Array, at: number): Branch | undefined {
  for (let index = 0; index < node.length; index++) {
    const branch = node[index]!;
    if (!isAt(bytes, at, branch.bytes)) continue;
    if (index > 0) {
      node[index] = node[index - 1]!;
      node[index - 1] = branch;
    }
    return branch;
  }
  return undefined;
}

function shapeOf(roles: readonly Role[]): Shape {
  const members: { readonly property: Property; readonly place: number }[] = [];
  const places: { -readonly [R in keyof Shape["places"]]: number } = {};
  const times: number[] = [];
  for (const [place, role] of roles.entries()) {
    if (typeof role === "string") {
      places[role] = place;
      continue;
    }
    members.push({ property: role, place });
    if (role.type === "time") times.push(place);
    if (role.name === zoneOffset) places.zone = place;
  }
  return { size: roles.length, properties: members, places, times };
}
