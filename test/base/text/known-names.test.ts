import { expect, test } from "vitest";
import {
  bare,
  createHintBudget,
  hintNearest,
  knownNames,
  listKnown,
} from "../../../base/text/known-names.ts";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `name-of-${at}`);
const thirty = numbered(30).map((name) => `"${name}"`);

test.each([
  ["the nearest and all", "logn", ["login", "pay"], 'the nearest is "login", valid are "login", "pay"'],
  ["all where none is near", "level", ["login", "pay"], 'valid are "login", "pay"'],
  ["the only one without calling it the nearest", "logn", ["login"], 'valid are "login"'],
  ["that there are none", "logn", [], "there are none"],
  ["30 names at most", "x", numbered(32), `valid are ${thirty.join(", ")} and 2 more`],
  ["only the nearest of more", "name-of-0O", numbered(31), 'the nearest is "name-of-0"'],
  ["none as the nearest of a very long name", "a".repeat(201), ["a".repeat(200), "b"], /^valid are/],
])("a message has %s", (_, name, known, expected) => {
  expect(knownNames(name, known)).toEqual(
    typeof expected === "string" ? expected : expect.stringMatching(expected),
  );
});

test.each([
  ["names without quotes", { write: bare }, "the nearest is login, valid are login, pay"],
  ["where all are, beside a near name", { all: "ask" }, 'the nearest is "login"'],
])("a message can have %s", (_, style, expected) => {
  expect(knownNames("logn", ["login", "pay"], style)).toBe(expected);
});

test("a message can say where all names are, and that there are none", () => {
  expect(knownNames("level", ["login", "pay"], { all: "ask" })).toBe("ask");
  expect(listKnown([], { none: "the list is empty" })).toBe("the list is empty");
});

test.each([
  ["all names get the nearest of 200 usual ones", 200, 15, 50],
  ["one name gets the nearest of 4,000 long ones", 4_000, 50, 1],
  ["three names get the nearest of 5,000 usual ones", 5_000, 15, 3],
])("in one call %s", (_, count, letters, expected) => {
  const known = Array.from({ length: count }, (_, at) => `${at}`.padStart(letters, "name"));
  const budget = createHintBudget();
  const messages = known.slice(0, 50).map((name) => knownNames(`${name}x`, known, { budget }));
  expect(messages.filter((message) => message.startsWith("the nearest is")).length).toBe(expected);
});

test("a message can end with the nearest name alone", () => {
  expect(["logn", "level"].map((name) => hintNearest(name, ["login", "pay"]))).toEqual([
    ', the nearest is "login"',
    "",
  ]);
});
