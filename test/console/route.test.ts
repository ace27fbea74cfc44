import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatRoute, parseRoute, withQuery } from "../../console/src/router/route.ts";

describe("a fragment", () => {
  test.each([
    ["", [], {}],
    ["#", [], {}],
    ["#/", [], {}],
    ["#/deliveries", ["deliveries"], {}],
    ["#/deliveries/17?state=dead&channel=a%26b", ["deliveries", "17"], { state: "dead", channel: "a&b" }],
    ["#/events/%2Fx%20y/", ["events", "/x y"], {}],
    ["#/a/%zz", ["a", "%zz"], {}],
    ["#/q?json=%7B%22a%22%3A%22%3F%22%7D", ["q"], { json: '{"a":"?"}' }],
  ])("%j is read", (fragment, path, query) => {
    const route = parseRoute(fragment);
    expect([route.path, Object.fromEntries(route.query)]).toEqual([path, query]);
  });

  test("has one form for one state: in the order of names, without what is empty", () => {
    const query = new Map(Object.entries({ z: "1", a: "2", empty: "" }));
    expect(formatRoute({ path: ["events"], query })).toBe("#/events?a=2&z=1");
    expect(formatRoute({ path: [], query: new Map() })).toBe("#/");
  });

  test("leads back to what it was made of", () => {
    const segment = fc.string({ minLength: 1, unit: "grapheme" });
    const query = fc.dictionary(segment, segment);
    fc.assert(
      fc.property(fc.array(segment), query, (path, values) => {
        const route = parseRoute(formatRoute({ path, query: new Map(Object.entries(values)) }));
        expect(route).toEqual({ path, query: new Map(Object.entries(values)) });
      }),
    );
  });
});

test("a filter is changed, added and removed", () => {
  const query = new Map(Object.entries({ state: "dead", channel: "demo" }));
  expect(Object.fromEntries(withQuery(query, { state: "", channel: "mail", target: "log" }))).toEqual({
    channel: "mail",
    target: "log",
  });
});
