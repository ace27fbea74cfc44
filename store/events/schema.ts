/** Whose property it is. */
export type PropertyTable = "event" | "user";

/**
 * What the first value of a property made it for good:
 * number: double · text · boolean · list: of texts · object: its members are
 * properties of their own, named `object.member` · object_group: a list of
 * objects, whose members are properties `group.member` too · time: of an
 * event an instant, in milliseconds since 1970 UTC, of a user a local time
 * without a zone, in milliseconds as if it were UTC.
 */
export type PropertyType = "number" | "text" | "time" | "boolean" | "list" | "object" | "object_group";

/** One property of one project. */
export interface Property {
  readonly table: PropertyTable;
  /** Lower case, such as `price`, `#city`, `item.count`. */
  readonly name: string;
  /** Unique within the project, from 1. */
  readonly number: number;
  readonly type: PropertyType;
  /**
   * Of a member of an object group, the group's name: each record then holds a
   * list of values of `type`, null where an element lacks the member, as long
   * as the group and in its order.
   */
  readonly group?: string;
}

/** The name of an event and the number that stands for it, from 1, unique within the project. */
export interface EventName {
  readonly name: string;
  readonly number: number;
}

/** What is known of a project's data at one moment; never changes. */
export interface ProjectSchema {
  /** Grows whenever anything of the project has been loaded; a result of an earlier version may be out of date. */
  readonly version: number;
  readonly events: ReadonlyMap<string, EventName>;
  /** By `event:name` and `user:name`. */
  readonly properties: ReadonlyMap<string, Property>;
}
