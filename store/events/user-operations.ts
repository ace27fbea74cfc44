import type { PreparedUser } from "./load.ts";
import type { ProjectSchema, Property, PropertyType } from "./schema.ts";

/** A user while operations are applied to it. */
export interface UserState {
  /** Values by property number; a missing one is null. */
  readonly values: Map<number, unknown>;
  /** Whether a `del` removed all earlier values. */
  isCleared: boolean;
}

/** What operations need to know of a user property. */
export interface UserProperty {
  readonly type: PropertyType;
  /** The numbers of the members of an object or object group, which are set and removed with it. */
  readonly members: readonly number[];
  /** Whether the property is a member, which only changes with its object. */
  readonly isMember: boolean;
}

export type UserProperties = ReadonlyMap<number, UserProperty>;

/** Returns the user properties of a schema by number. */
export function userProperties(schema: ProjectSchema): UserProperties {
  const own = [...schema.properties.values()].filter(({ table }) => table === "user");
  const isMember = (one: Property) => wholeOf(schema, one) !== undefined;
  return new Map(
    own.map((property) => {
      const members = own.filter((one) => wholeOf(schema, one) === property).map(({ number }) => number);
      return [property.number, { type: property.type, members, isMember: isMember(property) }];
    }),
  );
}

/** Returns the object or object group that a property is a member of. */
export function wholeOf(schema: ProjectSchema, { table, name }: Property): Property | undefined {
  const dot = name.indexOf(".");
  if (dot < 0) return undefined;
  const whole = schema.properties.get(`${table}:${name.slice(0, dot)}`);
  return whole?.type === "object" || whole?.type === "object_group" ? whole : undefined;
}

/** Returns a user without values. */
export function newUser(): UserState {
  return { values: new Map(), isCleared: false };
}

/**
 * Applies one operation; returns whether it changed anything. Values to which an operation does not
 * apply stay unchanged.
 */
export function applyOperation(
  user: UserState,
  { o: operation, p: given }: PreparedUser,
  properties: UserProperties,
): boolean {
  if (operation === "del") {
    user.values.clear();
    // The stored row may have more values than were read.
    user.isCleared = true;
    return true;
  }
  let isChanged = false;
  for (const key of Object.keys(given)) {
    const number = Number(key);
    const property = properties.get(number);
    if (property === undefined || property.isMember) continue;
    isChanged = operations[operation]({ user, number, property, given }) || isChanged;
  }
  return isChanged;
}

interface Change {
  readonly user: UserState;
  readonly number: number;
  readonly property: UserProperty;
  readonly given: PreparedUser["p"];
}

const operations: Record<Exclude<PreparedUser["o"], "del">, (change: Change) => boolean> = {
  set(change) {
    const { number, property, given } = change;
    return hasValue(given[number]) && replace(change, [number, ...property.members]);
  },
  setOnce(change) {
    return !change.user.values.has(change.number) && operations.set(change);
  },
  add({ user, number, property, given }) {
    const amount = given[number];
    if (property.type !== "number" || typeof amount !== "number") return false;
    const before = user.values.get(number);
    user.values.set(number, (typeof before === "number" ? before : 0) + amount);
    return true;
  },
  append(change) {
    return change.property.type === "object_group"
      ? appendGroup(change)
      : appendItems(change, (_before, items) => items);
  },
  uniqAppend(change) {
    return appendItems(change, (before, items) => {
      const present = new Set(before);
      return items.filter((item) => !present.has(item) && present.add(item));
    });
  },
  unset({ user, number, property }) {
    const removed = [number, ...property.members].filter((one) => user.values.delete(one));
    return removed.length > 0;
  },
};

const hasValue = (value: unknown): boolean => value !== undefined && value !== null;

function replace({ user, given }: Change, numbers: readonly number[]): boolean {
  for (const number of numbers) {
    if (hasValue(given[number])) user.values.set(number, given[number]);
    else user.values.delete(number);
  }
  return true;
}

function appendItems(
  { user, number, property, given }: Change,
  choose: (before: readonly unknown[], items: readonly unknown[]) => readonly unknown[],
): boolean {
  const items = given[number];
  if (property.type !== "list" || !Array.isArray(items)) return false;
  const before = listOf(user.values.get(number));
  const chosen = choose(before, items);
  if (chosen.length > 0) user.values.set(number, [...before, ...chosen]);
  return chosen.length > 0;
}

/** Members stay as long as the group, and in its order. */
function appendGroup({ user, number, property, given }: Change): boolean {
  const added = elementsOf(given[number]);
  if (added.length === 0) return false;
  const before = elementsOf(user.values.get(number));
  user.values.set(number, JSON.stringify([...before, ...added]));
  for (const member of property.members) {
    const [old, addedValue] = [user.values.get(member), given[member]];
    if (!hasValue(old) && !hasValue(addedValue)) continue;
    const parts = [
      hasValue(old) ? listOf(old) : nulls(before.length),
      hasValue(addedValue) ? listOf(addedValue) : nulls(added.length),
    ];
    user.values.set(member, parts.flat());
  }
  return true;
}

const nulls = (length: number): null[] => Array.from({ length }, () => null);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function elementsOf(value: unknown): readonly unknown[] {
  return typeof value === "string" ? listOf(JSON.parse(value)) : [];
}
