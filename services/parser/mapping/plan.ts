import type { Fields } from "./path.ts";
import { rootKeys } from "./record.ts";
import type { Places, Values } from "./slots.ts";
import { type Head, headOf } from "./write.ts";

/** A field that is written as it is, and its place in the line. */
export interface Kept {
  readonly at: number;
  readonly key: string;
  readonly head: Head;
}

/** What to do with lines that have these keys in this order. */
export interface Plan {
  readonly keys: readonly string[];
  /** Whether there are so many that they are not planned one by one: `rest` is empty then. */
  readonly isWide: boolean;
  readonly places: Places;
  /** Unread fields whose names are root keys, and the others. */
  readonly root: readonly Kept[];
  readonly rest: readonly Kept[];
  /** Place of an unread field `properties`; 0 when there is none. */
  readonly propertiesAt: number;
}

export interface PlanRules {
  /** Names of the slots. */
  readonly slots: readonly string[];
  /** Fields that are not kept. */
  readonly skip: ReadonlySet<string>;
  readonly keepRest: boolean;
}

/** Kinds of lines remembered; and the most keys of one that is, so that memory stays bounded. */
const maxPlans = 8;
const maxKeys = 256;

/** The values of a line, and what to do with them. */
export interface Planned {
  readonly plan: Plan;
  readonly values: Values;
}

/** A line of more fields is no log line; handling them all would hold up others for seconds. */
export const maxFields = 10_000;

/** Undefined for more than maxFields. */
export type MakePlan = (fields: Fields) => Planned | undefined;

export interface Planner {
  readonly plan: MakePlan;
  /** The plan of the line before; undefined when there is none to remember. */
  readonly latest: () => Plan | undefined;
}

/**
 * Lines of one log mostly have the same few key orders. Reading values by their place in such an order takes 10 ns
 * a field; reading them by name, with names that differ from one format to the next, takes 50.
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

/** The values by place, if the fields have exactly these keys in this order. */
function valuesInOrder(keys: readonly string[], fields: Fields): unknown[] | undefined {
  // A new list is cheaper than one that lives on: the engine has to note every new value put into an old list.
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
  const keptOf = (key: string): Kept => ({ at: placeOf(key), key, head: headOf(key) });
  const isKept = (key: string) => keepRest && !skip.has(key);
  return {
    keys,
    isWide,
    places: slots.map(placeOf),
    root: [...rootKeys].filter((key) => isKept(key) && placeOf(key) !== 0).map(keptOf),
    rest: isWide ? [] : keys.filter((key) => isKept(key) && !rootKeys.has(key)).map(keptOf),
    propertiesAt: isKept("properties") ? placeOf("properties") : 0,
  };
}
