import type { Asker, Predicate } from "./scan.ts";
import type { Property } from "./schema.ts";

/** Asks for users by what is known of them, whether they have had events or not. */
export interface UserSelection extends Asker {
  /** Of properties and ids of users, and of clusters; whatever is of an event has no value. */
  readonly where: Predicate;
  /** User properties to return; each known one when left out. */
  readonly properties?: readonly Property[];
}
