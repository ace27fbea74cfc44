import { openObject } from "../../../base/json/bytes.ts";
import { JsonCursor } from "../../../base/json/cursor.ts";
import type { Property } from "../../../store/events/events.ts";
import { isReserved, propertyNameOf } from "../record/names.ts";
import { zoneOffset } from "../record/properties.ts";
import type { TypeLookup } from "../record/record.ts";

/** What a member of a record is: of the root, or a property. */
export type Role = "event" | "time" | "account" | "visitor" | "uuid" | Property;

/** The bytes of a record between two values: from the end of the one before to the beginning of the next one. */
export interface Gap {
  readonly bytes: Uint8Array;
  /** What follows; undefined at the end of the record. */
  readonly role: Role | undefined;
}

const rootRoles: ReadonlyMap<string, Role> = new Map([
  ["#event_name", "event"],
  ["#time", "time"],
  ["#account_id", "account"],
  ["#distinct_id", "visitor"],
  ["#uuid", "uuid"],
]);
/** Members of the root which are properties. */
const rootProperties: ReadonlySet<string> = new Set(["#ip", "#app_id"]);
/** A longer record is parsed. */
const maxGaps = 1_024;

/**
 * Returns the gaps of a `track` whose values can be read from the bytes: known members, each once, and known properties
 * without objects. Returns undefined for other records.
 * @param record valid JSON
 */
export function gapsOf(record: Uint8Array, types: TypeLookup): readonly Gap[] | undefined {
  const walk = new GapWalk(record, types);
  return walk.run() ? walk.gaps : undefined;
}

class GapWalk {
  readonly gaps: Gap[] = [];
  readonly #record: Uint8Array;
  readonly #cursor: JsonCursor;
  readonly #types: TypeLookup;
  readonly #names = new Set<string>();
  #end = 0;

  constructor(record: Uint8Array, types: TypeLookup) {
    this.#record = record;
    this.#cursor = new JsonCursor(record, Number.POSITIVE_INFINITY);
    this.#types = types;
  }

  run(): boolean {
    let hasType = false;
    const cursor = this.#cursor;
    for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
      const key = this.#key();
      if (key === undefined) return false;
      if (key === "#type") {
        hasType = this.#isTrack();
        if (!hasType) return false;
      } else if (key === "properties") {
        if (!this.#properties()) return false;
      } else if (!this.#value(rootProperties.has(key) ? this.#propertyOf(key) : rootRoles.get(key)))
        return false;
    }
    this.gaps.push({ bytes: this.#copy(cursor.at), role: undefined });
    return hasType && this.gaps.length <= maxGaps;
  }

  /** Returns the key; undefined when it was there before, or has escapes. Properties are prefixed. */
  #key(prefix = ""): string | undefined {
    if (this.#cursor.keyEscaped) return undefined;
    const key = this.#cursor.key();
    const name = prefix + key;
    if (this.#names.has(name)) return undefined;
    this.#names.add(name);
    return key;
  }

  /** Copies the bytes since the last value: a view would keep the whole batch in memory. */
  #copy(end: number): Uint8Array {
    return new Uint8Array(this.#record.subarray(this.#end, end));
  }

  /** The value of the type stays in the gap. */
  #isTrack(): boolean {
    const start = this.#cursor.at;
    this.#cursor.value();
    return Buffer.from(this.#record.subarray(start, this.#cursor.at)).toString("latin1") === '"track"';
  }

  #properties(): boolean {
    const cursor = this.#cursor;
    if (this.#record[cursor.at] !== openObject) return false;
    for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
      const key = this.#key(".");
      if (key === undefined || !this.#value(this.#propertyOf(key))) return false;
    }
    return true;
  }

  /** Returns a known property which is not an object or in one, and has no other value in this record. */
  #propertyOf(key: string): Property | undefined {
    const name = propertyNameOf(key);
    if (name === undefined || isReserved(name) || this.#names.has(`property ${name}`)) return undefined;
    this.#names.add(`property ${name}`);
    const property = this.#types.find("event", name);
    if (property === undefined || property.group !== undefined) return undefined;
    // The rules read an offset from a text, too.
    if (name === zoneOffset && property.type !== "number") return undefined;
    return property.type === "object" || property.type === "object_group" ? undefined : property;
  }

  #value(role: Role | undefined): boolean {
    if (role === undefined) return false;
    const start = this.#cursor.at;
    this.#cursor.value();
    this.gaps.push({ bytes: this.#copy(start), role });
    this.#end = this.#cursor.at;
    return true;
  }
}
