/** Whether a property belongs to events or to users. */
export type PropertyTable = "event" | "user";

/**
 * The type of a property, which its first value determines permanently: number: double · text · boolean
 * · list: of texts · object: its members are properties of their own, named `object.member` ·
 * object_group: a list of objects, whose members are properties `group.member` too · time: for an event
 * an instant, in milliseconds since 1970 UTC, for a user a local time without a zone, in milliseconds
 * as if it were UTC.
 */
export type PropertyType = "number" | "text" | "time" | "boolean" | "list" | "object" | "object_group";

/** One property of one project. */
export interface Property {
  readonly table: PropertyTable;
  /** The name in lower case, such as `price`, `#city`, `item.count`. */
  readonly name: string;
  /** Unique within the project, from 1. */
  readonly number: number;
  readonly type: PropertyType;
  /**
   * The group's name, for a member of an object group: each record then has a list of values of `type`,
   * null where an element lacks the member, as long as the group and in its order.
   */
  readonly group?: string;
}

/** The name of an event and its number, which is unique within the project, from 1. */
export interface EventName {
  readonly name: string;
  readonly number: number;
}

/** The schema of a project's data at one moment; never changes. */
export interface ProjectSchema {
  /** Grows with every change of the project's data; a result of an earlier version may be out of date. */
  readonly version: number;
  readonly events: ReadonlyMap<string, EventName>;
  /** The properties, by `event:name` and `user:name`. */
  readonly properties: ReadonlyMap<string, Property>;
}
