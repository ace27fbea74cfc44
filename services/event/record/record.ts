import { quoteText } from "../../../base/text/quote.ts";
import type { Property, PropertyTable, PropertyType } from "../../../store/events/events.ts";

/** Why a record is refused as a whole; used as the label of a metric. */
export const refusalReasons = [
  "not_json",
  "not_an_object",
  "type",
  "time_format",
  "time_too_old",
  "time_too_new",
  "no_id",
  "id",
  "event_name",
  "event_id",
  "properties",
  "property_name",
  /** Too many values or keys to be parsed. */
  "too_large",
  /** The event is new, and the project has the most event names allowed. */
  "event_limit",
  /** The event is new, and there were too many new names within a minute. */
  "name_rate",
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** Why a property, or a key of the root, of an accepted record is dropped. */
const dropReasons = [
  /** An unknown key of the root. */
  "root_key",
  /** The invalid name of a member of an object. */
  "name",
  /** A name that the service uses, such as `#user_id`. */
  "reserved",
  /** A repeated name, ignoring case. */
  "double",
  /** A value of another type that does not convert exactly. */
  "type",
  /** A number beyond the range of doubles, or an invalid zone offset. */
  "range",
  /** A whole number beyond ±(2^53 − 1), which a double would change. */
  "number_range",
  /** A long text, or the long text of another value. */
  "too_long",
  /** Too many elements, keys or properties. */
  "too_many",
  /** Too deeply nested objects. */
  "too_deep",
  /** New, and the project has the most properties allowed. */
  "property_limit",
  /** New, and there were too many new names within a minute. */
  "name_rate",
] as const;

export type DropReason = (typeof dropReasons)[number];

/** The current types of properties. Names are in lower case. */
export interface TypeLookup {
  find(table: PropertyTable, name: string): Property | undefined;
  /** Returns the members of an object or object group, in any order; none for an unknown property. */
  members(table: PropertyTable, name: string): readonly Property[];
  /** Returns the number of properties that may be added. */
  room(table: PropertyTable): number;
}

/** The new names that the next record may add to a project. */
export interface NameRoom {
  hasEvent(name: string): boolean;
  /** Number of event names that may be added. */
  readonly eventRoom: number;
  /** Number of names that this app id may add within this minute. */
  readonly rateRoom: number;
}

export interface RecordRules {
  readonly types: TypeLookup;
  /** Limits of new names. Default: none. */
  readonly names?: NameRoom;
  /** Converts a local time of the project's zone, in milliseconds as if it were UTC, to an instant. */
  readonly toInstant: (localMs: number) => number;
}

/**
 * A value that fits its property. By type: a number, a text, a boolean, a list
 * of texts, the JSON text of an object or object group, milliseconds of a time
 * (event: since 1970 UTC, user: local, as if UTC); with `group` a list of
 * those, null where an element has none. Of `unset` it is null.
 */
export interface CheckedValue {
  /** Lower case; of a member `object.member`. */
  readonly name: string;
  /** Undefined if this value is the first one, which fixes the type. */
  readonly known: Property | undefined;
  readonly type: PropertyType;
  /** Name of the object group that it is a member of. */
  readonly group: string | undefined;
  readonly value: number | string | boolean | readonly unknown[] | null;
}

export interface DroppedProperty {
  /** The name as it was reported, cut at 100 characters. */
  readonly name: string;
  readonly reason: DropReason;
  /** What was wrong with the value and what to do, if the reason does not say it. */
  readonly message?: string;
}

interface Accepted {
  /** `#time` as an instant: milliseconds since 1970. */
  readonly timeMs: number;
  readonly accountId: string | undefined;
  readonly distinctId: string | undefined;
  readonly uuid: string | undefined;
  /** Each name at most once. An object or group stands before its members. */
  readonly values: readonly CheckedValue[];
  readonly dropped: readonly DroppedProperty[];
}

/** `track` */
export interface CheckedEvent extends Accepted {
  readonly kind: "event";
  readonly name: string;
  readonly firstCheckId: string | undefined;
}

/** `track_update` and `track_overwrite` */
export interface CheckedUpdate extends Accepted {
  readonly kind: "update";
  readonly name: string;
  readonly eventId: string;
  readonly mode: "update" | "overwrite";
}

export type CheckedOperation = "set" | "setOnce" | "add" | "append" | "uniqAppend" | "unset" | "del";

/** `user_…` */
export interface CheckedUser extends Accepted {
  readonly kind: "user";
  readonly operation: CheckedOperation;
  /**
   * Of `set`: known members that an object in `values` no longer has. They are
   * to be unset before the values are set, for an object is replaced whole.
   */
  readonly cleared: readonly Property[];
}

export interface RefusedRecord {
  readonly kind: "refused";
  readonly reason: RefusalReason;
  /** The invalid key; empty for the record as a whole. */
  readonly field: string;
  /** Names the field, quotes the value, says what is valid. */
  readonly message: string;
}

export type CheckedRecord = CheckedEvent | CheckedUpdate | CheckedUser | RefusedRecord;

export function refuse(reason: RefusalReason, field: string, message: string): RefusedRecord {
  return { kind: "refused", reason, field, message };
}

/** Quotes a value of a record for a message; lists and objects by their kind only, which costs nothing. */
export function show(value: unknown): string {
  if (value === undefined) return "(missing)";
  if (Array.isArray(value)) return "(a list)";
  if (typeof value === "object" && value !== null) return "(an object)";
  return typeof value === "string" ? quoteText(value) : String(value);
}
