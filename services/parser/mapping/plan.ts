import type { Fields } from "./path.ts";
import { rootKeys } from "./record.ts";

/** A field that is written as it is: its place in the line, and its key with the colon as JSON text. */
export interface Kept {
  readonly at: number;
  readonly key: string;
  readonly head: string;
}

/** What to do with lines that have these keys in this order. */
export interface Plan {
  readonly keys: readonly string[];
  /** Place of each slot's field in the line; −1 when it is missing. */
  readonly slotAt: readonly number[];
  /** Unread fields whose names are root keys, and the others. */
  readonly root: readonly Kept[];
  readonly rest: readonly Kept[];
  /** Place of an unread field `properties`; −1 when there is none. */
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

export interface Planner {
  /** Finds or makes the plan of these fields and puts their values into `values`, in the order of the keys. */
  readonly load: (fields: Fields) => Plan;
  readonly values: readonly unknown[];
}

/**
 * Lines of one log mostly have the same few key orders. Reading values by their place in such an order takes 10 ns
 * a field; reading them by name, with names that differ from one format to the next, takes 50.
 */
export function createPlanner(rules: PlanRules): Planner {
  const plans: Plan[] = [];
  const values: unknown[] = [];
  const load = (fields: Fields): Plan => {
    for (let index = 0; index < plans.length; index++) {
      const plan = plans[index]!;
      if (!loadIfFits(plan.keys, fields, values)) continue;
      if (index > 0) {
        plans[index] = plans[0]!;
        plans[0] = plan;
      }
      return plan;
    }
    const plan = makePlan(Object.keys(fields), rules);
    loadIfFits(plan.keys, fields, values);
    if (plan.keys.length <= maxKeys) {
      if (plans.length === maxPlans) plans.pop();
      plans.push(plan);
    }
    return plan;
  };
  return { load, values };
}

function loadIfFits(keys: readonly string[], fields: Fields, values: unknown[]): boolean {
  let at = 0;
  for (const key in fields) {
    if (key !== keys[at]) return false;
    values[at] = fields[key];
    at++;
  }
  return at === keys.length;
}

function makePlan(keys: readonly string[], { slots, skip, keepRest }: PlanRules): Plan {
  const places = new Map(keys.map((key, at) => [key, at]));
  const kept = keys
    .map((key, at): Kept => ({ at, key, head: `${JSON.stringify(key)}:` }))
    .filter(({ key }) => keepRest && !skip.has(key));
  return {
    keys,
    slotAt: slots.map((name) => places.get(name) ?? -1),
    root: kept.filter(({ key }) => rootKeys.has(key)),
    rest: kept.filter(({ key }) => !rootKeys.has(key)),
    propertiesAt: kept.find(({ key }) => key === "properties")?.at ?? -1,
  };
}
