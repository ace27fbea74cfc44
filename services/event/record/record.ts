import type { Property, PropertyTable, PropertyType } from "../../../store/events/events.ts";

/** Why a record was refused as a whole; fit for the label of a metric. */
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
  /** More values or keys than any record may have that is looked at. */
  "too_large",
  /** The event is new to a project that has as many names of events as it may. */
  "event_limit",
  /** The event is new, and there were as many new names within a minute as there may be. */
  "name_rate",
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** Why a property, or a key at the root, was dropped of a record that is kept. */
export const dropReasons = [
  /** Only the known keys may stand at the root. */
  "root_key",
  /** Of a member of an object: not a valid name. */
  "name",
  /** A name of the service's own, such as `#user_id`. */
  "reserved",
  /** The same name, but for its case, stood before. */
  "double",
  /** Of another type than the property has, and not convertible exactly. */
  "type",
  /** A number beyond the range of doubles, a zone offset that there isn't. */
  "range",
  /** A whole number beyond ±(2^53 − 1), which as a double would become another one. */
  "number_range",
  /** A text, or what is kept as text. */
  "too_long",
  /** Too many elements, keys or properties. */
  "too_many",
  /** Objects within objects within objects. */
  "too_deep",
  /** New to a project that has as many properties as it may. */
  "property_limit",
  /** New, as were too many names within a minute. */
  "name_rate",
] as const;

export type DropReason = (typeof dropReasons)[number];

/** The types that properties have at present. Names are in lower case. */
export interface TypeLookup {
  find(table: PropertyTable, name: string): Property | undefined;
  /** Members of an object or object group, in any order; none when there is no such property. */
  members(table: PropertyTable, name: string): readonly Property[];
  /** How many properties may be added. */
  room(table: PropertyTable): number;
}

/** What new names a project may get with the next record. */
export interface NameRoom {
  hasEvent(name: string): boolean;
  /** Names of events that it may get before it has as many as it may. */
  readonly eventRoom: number;
  /** Names of events and properties that it may get within this minute from this sender. */
  readonly rateRoom: number;
}

export interface RecordRules {
  readonly types: TypeLookup;
  /** Default: any name may be new. */
  readonly names?: NameRoom;
  /** The instant of a local time of the project's zone; both in milliseconds, the local one as if it were UTC. */
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
  /** Undefined when this value is the first one, which fixes the type. */
  readonly known: Property | undefined;
  readonly type: PropertyType;
  /** Name of the object group that it is a member of. */
  readonly group: string | undefined;
  readonly value: number | string | boolean | readonly unknown[] | null;
}

export interface DroppedProperty {
  /** As it was given, cut at 100 characters. */
  readonly name: string;
  readonly reason: DropReason;
  /** What was wrong with the value and what to do, where the reason alone does not say it. */
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
  /** The key at fault; empty when it is the record as a whole. */
  readonly field: string;
  /** Names the field, quotes the value, says what is valid. */
  readonly message: string;
}

export type CheckedRecord = CheckedEvent | CheckedUpdate | CheckedUser | RefusedRecord;
