import type { Fields, Places, Values } from "./fields.ts";
import { rootKeys } from "./record.ts";
import { type Head, headOf } from "./write.ts";

/** A field that is written unchanged, and its place in the line. */
export interface UnchangedField {
  readonly at: number;
  readonly key: string;
  readonly head: Head;
}

/** How lines with these keys in this order are mapped. */
export interface Plan {
  readonly keys: readonly string[];
  /** Whether there are too many keys to plan each: `rest` is empty then. */
  readonly isWide: boolean;
  readonly places: Places;
  /** Unread fields whose names are root keys, and the other unread fields. */
  readonly root: readonly UnchangedField[];
  readonly rest: readonly UnchangedField[];
  /** Place of an unread field `properties`; 0 without one. */
  readonly propertiesAt: number;
}

export interface PlanRules {
  /** Names of the slots. */
  readonly slots: readonly string[];
  /** Fields that are not kept. */
  readonly skip: ReadonlySet<string>;
  readonly keepRest: boolean;
}

/** Most plans that are cached, and most keys of a cached plan, so that memory is bounded. */
const maxPlans = 8;
const maxKeys = 256;

/** The values of a line and their plan. */
export interface Planned {
  readonly plan: Plan;
  readonly values: Values;
}

/** Lines with more fields are refused: handling them would block the event loop for seconds. */
export const maxFields = 10_000;

/** Returns undefined for more than maxFields fields. */
export type MakePlan = (fields: Fields) => Planned | undefined;

export interface Planner {
  readonly plan: MakePlan;
  /** Returns the plan of the last line; undefined when it is not cached. */
  readonly latest: () => Plan | undefined;
}

/**
 * Caches plans by key order, since the lines of a log mostly have the same few orders. Reading values by their place
 * takes 10 ns per field; reading them by names that differ between formats takes 50 ns.
 */
export function createPlanner(rules: PlanRules): Planner {
  const plans: Plan[] = [];
  const plan: MakePlan = (fields) => {
    const latest = plans[0];
    const latestValues = latest && valuesInOrder(latest.keys, fields);
    if (latestValues !== undefined) return { plan: latest!, values: latestValues };
    const keys = Object.keys(fields);
    if (keys.length > maxFields) return undefined;
    const known = plans.findIndex((one) => isSame(one.keys, keys));
    const found = known === -1 ? makePlan(keys, rules) : plans[known]!;
    if (known !== -1) plans.splice(known, 1);
    if (!found.isWide) plans.unshift(found);
    if (plans.length > maxPlans) plans.pop();
    return { plan: found, values: [undefined, ...Object.values(fields)] };
  };
  return { plan, latest: () => plans[0] };
}

function isSame(keys: readonly string[], others: readonly string[]): boolean {
  return keys.length === others.length && keys.every((key, index) => key === others[index]);
}

/** Returns the values by place if the fields have exactly these keys in this order. */
function valuesInOrder(keys: readonly string[], fields: Fields): unknown[] | undefined {
  // A new array is cheaper than one that is reused: the engine has to track every new value in an old object.
  const values: unknown[] = [undefined];
  let at = 0;
  for (const key in fields) {
    if (key !== keys[at]) return undefined;
    values.push(fields[key]);
    at++;
  }
  return at === keys.length ? values : undefined;
}

function makePlan(keys: readonly string[], { slots, skip, keepRest }: PlanRules): Plan {
  const isWide = keys.length > maxKeys;
  const placeOf = (key: string) => keys.indexOf(key) + 1;
  const unchangedField = (key: string): UnchangedField => ({ at: placeOf(key), key, head: headOf(key) });
  const isUnchanged = (key: string) => keepRest && !skip.has(key);
  return {
    keys,
    isWide,
    places: slots.map(placeOf),
    root: [...rootKeys].filter((key) => isUnchanged(key) && placeOf(key) !== 0).map(unchangedField),
    rest: isWide ? [] : keys.filter((key) => isUnchanged(key) && !rootKeys.has(key)).map(unchangedField),
    propertiesAt: isUnchanged("properties") ? placeOf("properties") : 0,
  };
}
