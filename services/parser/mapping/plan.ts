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

export type MakePlan = (fields: Fields) => Planned;

/**
 * Lines of one log mostly have the same few key orders. Reading values by their place in such an order takes 10 ns
 * a field; reading them by name, with names that differ from one format to the next, takes 50.
 */
export function createPlanner(rules: PlanRules): MakePlan {
  const plans: Plan[] = [];
  return (fields) => {
    for (let index = 0; index < plans.length; index++) {
      const plan = plans[index]!;
      const values = valuesInOrder(plan.keys, fields);
      if (values === undefined) continue;
      if (index > 0) {
        plans[index] = plans[0]!;
        plans[0] = plan;
      }
      return { plan, values };
    }
    const plan = makePlan(Object.keys(fields), rules);
    if (plan.keys.length <= maxKeys) {
      if (plans.length === maxPlans) plans.pop();
      plans.push(plan);
    }
    return { plan, values: [undefined, ...Object.values(fields)] };
  };
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
  const places = new Map(keys.map((key, index) => [key, index + 1]));
  const kept = keys
    .map((key, index): Kept => ({ at: index + 1, key, head: headOf(key) }))
    .filter(({ key }) => keepRest && !skip.has(key));
  return {
    keys,
    places: slots.map((name) => places.get(name) ?? 0),
    root: kept.filter(({ key }) => rootKeys.has(key)),
    rest: kept.filter(({ key }) => !rootKeys.has(key)),
    propertiesAt: kept.find(({ key }) => key === "properties")?.at ?? 0,
  };
}
