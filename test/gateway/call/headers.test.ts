import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NodeHeaders } from "../../../gateway/call/headers.ts";

const names = fc.constantFrom("a", "b-c", "X-Up", "x-up", "content-type", "d-bin");
/** Without the control characters that `Headers` takes and no Node server sends. */
const texts = fc.string({ unit: "binary" }).filter((text) => !/(?![\t\r\n\0])\p{Cc}/u.test(text));
const values = fc.oneof(texts, fc.constantFrom("", " a ", "a, b", "é", "\u4e2d", "a\r\nb", "a\0b", "\t"));
const operations = fc.oneof(
  fc.tuple(fc.constant("set" as const), names, values),
  fc.tuple(fc.constant("append" as const), names, values),
  fc.tuple(fc.constant("delete" as const), names, fc.constant("")),
);

/** Returns the outcome of a change: an error or nothing. */
function outcome(change: () => void): string {
  try {
    change();
    return "done";
  } catch (error) {
    return (error as Error).name;
  }
}

describe("NodeHeaders", () => {
  test("behaves as Headers does, whatever is done to it", () => {
    fc.assert(
      fc.property(fc.array(operations), (steps) => {
        const record = { "x-up": "first", b: "1", ":path": "/" };
        const [actual, model] = [new NodeHeaders(record), new Headers({ "x-up": "first", b: "1" })];
        for (const [kind, name, value] of steps) {
          expect(outcome(() => actual[kind](name, value))).toBe(outcome(() => model[kind](name, value)));
          expect(actual.get(name)).toBe(model.get(name));
          expect(actual.has(name)).toBe(model.has(name));
        }
        expect([...actual]).toEqual([...model]);
        expect([...actual.keys()]).toEqual([...model.keys()]);
        expect([...actual.values()]).toEqual([...model.values()]);
        expect(record).toEqual({ "x-up": "first", b: "1", ":path": "/" });
      }),
    );
  });

  test.each([
    ["x bad", "a"],
    ["", "a"],
    [":status", "200"],
    ["x-a", "a\x01"],
  ])("%j: %j is refused where it is set", (name, value) => {
    expect(() => new NodeHeaders().set(name, value)).toThrow(TypeError);
  });

  test("reads lists, numbers and cookies as Node has them", () => {
    const headers = new NodeHeaders({
      "set-cookie": ["a=1", "b=2"],
      "x-list": ["a", "b"] as never,
      age: 5 as never,
    });
    expect(headers.get("x-list")).toBe("a, b");
    expect(headers.get("age")).toBe("5");
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(new NodeHeaders().getSetCookie()).toEqual([]);
    expect(headers.get("constructor")).toBeNull();
  });
});
