import { columns, type KnownColumn, nameColumn } from "./generate-columns.ts";
import type { Scene } from "./generate-records.ts";
import type { Random } from "./random.ts";

const suited: Readonly<Record<KnownColumn["type"], readonly string[]>> = {
  number: ["equal", "notEqual", "less", "greater", "range", "isNull", "notNull"],
  text: ["equal", "notEqual", "include", "notInclude", "isNull", "notNull", "regexMatch", "notRegexMatch"],
  boolean: ["isTrue", "isFalse", "isNull", "notNull", "equal", "notEqual"],
  time: [
    "equal",
    "less",
    "greater",
    "range",
    "isNull",
    "notNull",
    "relativeCurrentBetween",
    "relativeCurrentBefore",
    "relativeEventBefore",
    "relativeEventAfter",
    "relativeEventAbsolute",
    "relativeEventThatDay",
  ],
  list: [
    "arrayIncludeItem",
    "arrayNotIncludeItem",
    "arrayItemPos",
    "arrayIsNull",
    "arrayNotNull",
    "isNull",
    "notNull",
  ],
  object: ["isNull", "notNull"],
  cohort: ["belongToCluster", "notBelongToCluster"],
  unknown: [
    "equal",
    "notEqual",
    "include",
    "isNull",
    "notNull",
    "isTrue",
    "arrayNotIncludeItem",
    "arrayIsNull",
  ],
};
const patterns = ["^w", "[0-9]+$", "a|b", ".", "(?i)WEB", "\\.", "^$", "[^a-z]", "ü"];
const ofMembers = ["equal", "notEqual", "arrayIncludeItem", "arrayNotIncludeItem", "arrayItemPos"];

/** `filts` and `relation`, none more often than many. */
export function generateFilters(random: Random, scene: Scene, most: number): Record<string, unknown> {
  const filts = Array.from({ length: random.few(0, most) }, () => generateFilter(random, scene, 2));
  const relation = random.pick(["and", "or", undefined]);
  return {
    ...((filts.length > 0 || random.chance(0.2)) && { filts }),
    ...(relation && { relation }),
  };
}

function generateFilter(random: Random, scene: Scene, depth: number): Record<string, unknown> {
  if (depth > 0 && random.chance(0.15)) {
    const filts = Array.from({ length: random.int(1, 3) }, () => generateFilter(random, scene, depth - 1));
    return { filterType: "COMPOUND", relation: random.pick(["and", "or"]), filts };
  }
  const column = random.pick(columns);
  const comparator = random.pick(column.member ? ofMembers : suited[column.type]);
  const needsUnit = /^relativeEvent(?:Before|After|Absolute)$/.test(comparator);
  return {
    ...nameColumn(random, column),
    comparator,
    ...(random.chance(0.3) && { filterType: "SIMPLE" }),
    ftv: literalsOf(random, scene, column, comparator),
    ...(needsUnit && { timeUnit: random.pick(["day", "hour", "minute"]) }),
  };
}

function literalsOf(random: Random, scene: Scene, column: KnownColumn, comparator: string): unknown[] {
  const literal = () => column.literal(random, scene);
  switch (comparator) {
    case "equal":
    case "notEqual":
    case "include":
    case "notInclude":
    case "arrayIncludeItem":
    case "arrayNotIncludeItem":
      return Array.from({ length: random.few(1, 3) }, literal).map((text) =>
        column.type === "number" && random.chance(0.3) ? Number(text) : text,
      );
    case "less":
    case "greater":
      return [literal()];
    case "range": {
      const ends = [literal(), literal()];
      return column.type === "number" ? ends.map(Number).sort((a, b) => a - b) : ends.sort();
    }
    case "regexMatch":
    case "notRegexMatch":
      return [random.pick(patterns)];
    case "arrayItemPos":
      return [random.int(1, 3), literal()];
    case "relativeCurrentBetween": {
      const first = random.int(-9, 2);
      return [String(first), first + random.int(0, 5)];
    }
    case "relativeCurrentBefore":
    case "relativeEventBefore":
    case "relativeEventAfter":
    case "relativeEventAbsolute":
      return [random.pick([0, 1, 2, "3", 30])];
    default:
      return [];
  }
}
