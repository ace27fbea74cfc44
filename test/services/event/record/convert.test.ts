import fc from "fast-check";
import { expect, it } from "vitest";
import { accepted, check, droppedOf, event, typesOf, user, valuesOf } from "./checking.ts";

const convert = (value: unknown, type: "number" | "text" | "boolean"): unknown =>
  valuesOf(check(event({ p: value }), { "event:p": type }))["p"];

it("numbers come back from their text", () => {
  const numbers = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((number) => number + 0)
    .filter((number) => Math.abs(number) < 2 ** 53 || Math.abs(number) >= 1e21);
  fc.assert(
    fc.property(numbers, (number) => {
      expect(convert(convert(number, "text"), "number")).toBe(number + 0);
    }),
    { examples: [[0], [1e21], [5e-324], [2 ** 53 - 1]] },
  );
});

it("booleans come back from their text", () => {
  fc.assert(
    fc.property(fc.boolean(), (value) => {
      expect(convert(convert(value, "text"), "boolean")).toBe(value);
    }),
  );
});

it("texts become numbers when they are decimal numbers", () => {
  const texts = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.stringMatching(/^[-+]?[0-9]{0,3}(\.[0-9]{0,3})?([eE][-+]?[0-9]{1,2})?$/),
  );
  const form = /^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$/;
  fc.assert(
    fc.property(texts, (text) => {
      const isLarge = Math.abs(Number(text)) >= 2 ** 53 && Math.abs(Number(text)) < 1e21;
      expect(convert(text, "number")).toBe(form.test(text) && !isLarge ? Number(text) : undefined);
    }),
  );
});

it("whole numbers beyond 2^53 keep their digits where they come first", () => {
  const digits = fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n });
  fc.assert(
    fc.property(digits, fc.boolean(), (size, isNegative) => {
      const number = isNegative ? -size : size;
      const checked = check(
        event({ p: number, o: { m: number }, g: [{ m: number }, { m: 5 }], l: [number] }),
      );
      expect(valuesOf(checked)).toMatchObject({
        p: String(number),
        "o.m": String(number),
        "g.m": [String(number), "5"],
        l: [String(number)],
        o: `{"m":${number}}`,
        g: `[{"m":${number}},{"m":5}]`,
      });
      expect(typesOf(checked)).toMatchObject({ p: "text", "o.m": "text", "g.m": "text", l: "list" });
    }),
  );
});

it.each([
  [
    { p: 9007199254740993n },
    "p 9007199254740993 is beyond ±9007199254740991 and would be changed, send it as text",
  ],
  [
    { o: { M: -9007199254740993n } },
    "o.M -9007199254740993 is beyond ±9007199254740991 and would be changed, send it as text",
  ],
  [
    { g: [{ m: 1 }, { m: 9007199254740993n }, { m: 9007199254740995n }] },
    "g.m 9007199254740993 is beyond ±9007199254740991 and would be changed, send it as text",
  ],
])("a whole number beyond 2^53 is dropped of a number with advice: %o", (properties, message) => {
  const known = { "event:p": "number", "event:o": "object", "event:o.m": "number" } as const;
  const name = message.slice(0, message.indexOf(" "));
  expect(accepted(check(event(properties), known)).dropped).toEqual([
    { name, reason: "number_range", message },
  ]);
});

it("user_add of a whole number beyond 2^53 says so, whatever the property is", () => {
  const add = user("user_add", { n: 9007199254740993n });
  expect([droppedOf(check(add)), droppedOf(check(add, { "user:n": "number" }))]).toEqual([
    ["n: number_range"],
    ["n: number_range"],
  ]);
});

it("whatever JSON holds under valid names is accepted or named as dropped", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z][a-zA-Z]{0,3}$/), fc.jsonValue()), (properties) => {
      const checked = check(event(JSON.parse(JSON.stringify(properties))));
      expect(checked.kind).toBe("event");
      const names = Object.keys(valuesOf(checked));
      expect(new Set(names).size).toBe(accepted(checked).values.length);
      expect(
        names.filter((name) => !/^#?[a-z][a-z0-9_]{0,49}(\.#?[a-z][a-z0-9_]{0,49})?$/.test(name)),
      ).toEqual([]);
    }),
  );
});

it("values that were kept are kept again, unchanged", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue()), (properties) => {
      const first = accepted(check(event(JSON.parse(JSON.stringify(properties)))));
      const known = Object.fromEntries(first.values.map(({ name, type }) => [`event:${name}`, type]));
      const again = check(event(JSON.parse(JSON.stringify(properties))), known);
      expect(valuesOf(again)).toEqual(valuesOf(first));
    }),
  );
});

it("whatever is kept is Unicode that every store takes, as JSON too", () => {
  const texts = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  });
  const values = fc.oneof(texts, fc.array(texts), fc.dictionary(fc.constantFrom("a", "b"), fc.array(texts)));
  fc.assert(
    fc.property(texts, values, fc.array(fc.record({ a: texts, b: texts })), (id, p, group) => {
      const checked = accepted(check(event({ p, group }, { "#account_id": `x${id}`, "#uuid": id })));
      const kept = JSON.stringify([checked.accountId, checked.uuid, checked.values]);
      expect(kept).not.toMatch(/[^\\](?:\\\\)*\\ud[89a-f]/);
      const written = checked.values
        .filter(({ type }) => type.startsWith("object"))
        .map(({ value }) => `${value}`);
      expect(written.filter((text) => /[^\\](?:\\\\)*\\ud[89a-f]/.test(text))).toEqual([]);
      expect(written.map((text) => JSON.parse(text))).toHaveLength(written.length);
    }),
    { examples: [["\ud83d", { a: ["\\ud83d", "\ud83d", "\\\ud83d"] }, [{ a: "\udc00", b: "\u0000" }]]] },
  );
});
