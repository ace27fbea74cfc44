import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Aggregation } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import {
  type Arithmetic,
  parseArithmetic,
} from "../../../../../services/analysis/describe/metric/arithmetic.ts";
import { readFormula } from "../../../../../services/analysis/describe/metric/formula.ts";
import { createProblems } from "../../../../../services/analysis/describe/problems.ts";

/** With parentheses only where they change what is meant. */
function print(tree: Arithmetic, names: readonly string[]): string {
  switch (tree.kind) {
    case "number":
      return String(tree.value);
    case "operand":
      return names[tree.index]!;
    case "binary": {
      const binds = (inner: Arithmetic) =>
        inner.kind !== "binary" ? 2 : /[*/]/.test(inner.operator) ? 1 : 0;
      const within = (inner: Arithmetic, least: number) =>
        binds(inner) < least ? `(${print(inner, names)})` : print(inner, names);
      return `${within(tree.left, binds(tree))} ${tree.operator}${within(tree.right, binds(tree) + 1)}`;
    }
  }
}

/** Operands numbered from left to right. */
function number(tree: Arithmetic, next: { index: number }): Arithmetic {
  if (tree.kind === "operand") return { kind: "operand", index: next.index++ };
  if (tree.kind === "number") return tree;
  const left = number(tree.left, next);
  return { ...tree, left, right: number(tree.right, next) };
}

const { tree: trees } = fc.letrec<{ tree: Arithmetic }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    fc.record({ kind: fc.constant("operand" as const), index: fc.constant(0) }),
    fc.record({
      kind: fc.constant("number" as const),
      value: fc.double({ min: 0, max: 1e30, noNaN: true }).map((value) => value + 0),
    }),
    fc.record({
      kind: fc.constant("binary" as const),
      operator: fc.constantFrom("+" as const, "-" as const, "*" as const, "/" as const),
      left: tie("tree"),
      right: tie("tree"),
    }),
  ),
}));

it("reads back what is printed", () => {
  fc.assert(
    fc.property(trees, (drawn) => {
      const tree = number(drawn, { index: 0 });
      const names = Array.from({ length: 100 }, (_, i) => `event ${i}.#p@q.r.SUM`);
      expect(parseArithmetic(print(tree, names)).tree).toEqual(tree);
    }),
  );
});

it.each([
  ["1+2*3", { kind: "binary", operator: "+" }],
  ["(1+2)*3", { kind: "binary", operator: "*" }],
  ["1-2-3", { kind: "binary", operator: "-", right: { kind: "number", value: 3 } }],
  ["8/4/2", { kind: "binary", operator: "/", right: { kind: "number", value: 2 } }],
  ["1e-3", { kind: "number", value: 0.001 }],
  [" .5 ", { kind: "number", value: 0.5 }],
])("reads %s", (text, tree) => {
  expect(parseArithmetic(text).tree).toMatchObject(tree);
});

it.each([
  ["a.SUM/b c.SUM", ["a.SUM", "b c.SUM"]],
  ["登录.TOTAL_TIMES*2", ["登录.TOTAL_TIMES"]],
  ["1 day.SUM", ["1 day.SUM"]],
])("finds the operands of %s", (text, operands) => {
  expect(parseArithmetic(text).operands).toEqual(operands);
});

it.each([
  ["", "lacks a number or an operand at its end"],
  ["1+", "lacks a number or an operand at its end"],
  ["-1", 'lacks a number or an operand before "-" (character 1)'],
  ["1++2", 'lacks a number or an operand before "+" (character 3)'],
  [" 登录.SUM /\t/ 2", 'lacks a number or an operand before "/" (character 11)'],
  ["😀.SUM (1)", 'lacks an operator before "(" (character 7)'],
  ["(1+2", 'lacks ")" at its end'],
  ["1+2)", 'lacks an operator before ")" (character 4)'],
  ["2(3)", 'lacks an operator before "(" (character 2)'],
  ["1e400", "has a number that is too large, 1e400"],
  ["9".repeat(400), `has a number that is too large, ${"9".repeat(100)}…`],
  [`(1)${"2".repeat(400)}`, `lacks an operator before "${"2".repeat(100)}…" (400 characters)`],
  [`${"(".repeat(60)}1${")".repeat(60)}`, "nests parentheses more than 50 deep"],
])("refuses %s", (text, message) => {
  expect(() => parseArithmetic(text)).toThrow(message);
});

it("answers whatever it is given, soon", () => {
  const signs = fc.constantFrom(
    "(",
    ")",
    "+",
    "-",
    "*",
    "/",
    ".",
    "1",
    "e",
    "a",
    " ",
    "$metric.",
    "SUM",
    "ﾃ",
  );
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 300 }), (parts) => {
      const problems = createProblems();
      const found = readFormula(parts.join(""), "customEvent", problems);
      const isRefused = (() => {
        try {
          problems.throwIfAny();
          return false;
        } catch {
          return true;
        }
      })();
      expect(isRefused).toBe(found === undefined);
    }),
  );
});

describe("an operand", () => {
  const read = (text: string) => {
    const problems = createProblems();
    const outline = readFormula(text, "customEvent", problems);
    problems.throwIfAny();
    return outline!.operands[0];
  };

  it.each([
    [
      "login.TOTAL_TIMES",
      { kind: "event", eventName: "login", aggregation: Aggregation.TOTAL_TIMES, quota: "" },
    ],
    [
      "session error.TRIG_USER_NUM",
      { kind: "event", eventName: "session error", aggregation: Aggregation.TRIG_USER_NUM, quota: "" },
    ],
    ["pay.price.SUM", { kind: "event", eventName: "pay", aggregation: Aggregation.SUM, quota: "price" }],
    [
      "pay.items.cost.SUM",
      { kind: "event", eventName: "pay", aggregation: Aggregation.SUM, quota: "items.cost" },
    ],
    [
      "pay.#vp@a.b.DISTINCT",
      { kind: "event", eventName: "pay", aggregation: Aggregation.DISTINCT, quota: "#vp@a.b" },
    ],
    ["$metric.d.a.u", { kind: "metric", name: "d.a.u" }],
  ])("%s is understood", (text, operand) => {
    expect(read(text)).toEqual(operand);
  });

  it.each([
    ["stage_finish.TIMES", 'ends in the unknown analysis "TIMES", valid are "TOTAL_TIMES", "TRIG_USER_NUM"'],
    ["login", 'must be "event.ANALYSIS", "event.property.ANALYSIS", "$metric.name" or a number'],
    ["login.SUM", 'needs a property, as in "event.property.SUM"'],
    ["login.price.TOTAL_TIMES", "takes no property with TOTAL_TIMES"],
    [".SUM", "must be"],
  ])("%s is refused", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
