import type { PropertyTable, PropertyType } from "./schema.ts";

/** Names of one project that are to be forgotten, with all that is stored under them. */
export interface NameRemoval {
  readonly projectId: number;
  /** Their events are deleted. */
  readonly events: readonly string[];
  /** Their values are deleted; those of the members of an object with it. */
  readonly properties: readonly PropertyName[];
}

export interface PropertyName {
  readonly table: PropertyTable;
  readonly name: string;
}

/** How much was there. */
export interface RemovedNames {
  /** Names of events. */
  readonly events: number;
  readonly properties: number;
  /** Events that were stored. */
  readonly records: number;
}

/** How often the names of a project are used, in the order of their numbers: as they came. */
export interface NameUses {
  readonly events: readonly EventUse[];
  readonly properties: readonly PropertyUse[];
}

export interface EventUse {
  readonly name: string;
  /** Events of it. */
  readonly records: number;
}

export interface PropertyUse extends PropertyName {
  readonly type: PropertyType;
  /** Events or users with a value. */
  readonly records: number;
}
