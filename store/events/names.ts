import type { PropertyTable, PropertyType } from "./schema.ts";

/** Names of one project to delete with all data stored under them. */
export interface NameRemoval {
  readonly projectId: number;
  /** Names whose events are deleted. */
  readonly events: readonly string[];
  /** Properties whose values are deleted; an object is deleted with its members. */
  readonly properties: readonly PropertyName[];
}

export interface PropertyName {
  readonly table: PropertyTable;
  readonly name: string;
}

/** The amounts of deleted data. */
export interface RemovedNames {
  /** The number of event names. */
  readonly events: number;
  readonly properties: number;
  /** The number of stored events. */
  readonly records: number;
}

/**
 * How often the names of a project are used, in the order of their numbers, which is the order of their
 * appearance.
 */
export interface NameUses {
  readonly events: readonly EventUse[];
  readonly properties: readonly PropertyUse[];
}

export interface EventUse {
  readonly name: string;
  /** The number of events with the name. */
  readonly records: number;
}

export interface PropertyUse extends PropertyName {
  readonly type: PropertyType;
  /** The number of events or users with a value. */
  readonly records: number;
}
