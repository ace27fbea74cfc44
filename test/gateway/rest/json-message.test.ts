import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeJson } from "../../../gateway/rest/json-message.ts";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import {
  BookSchema,
  EchoMessageSchema,
  WatchRequestSchema,
} from "../testproto/gen/engage/test/v1/library_pb.ts";

type Fields = readonly (readonly [field: string, description: string])[];

function violationsOf(work: () => unknown): Fields {
  try {
    work();
    return [];
  } catch (error) {
    const [details] = ConnectError.from(error).findDetails(BadRequestSchema);
    return (details?.fieldViolations ?? []).map(({ field, description }) => [field, description]);
  }
}

const genres = "a Genre, valid are GENRE_FICTION, GENRE_SCIENCE";
const int64 = "an int64, a whole number from -9223372036854775808 to 9223372036854775807";
const int32 = "an int32, a whole number from -2147483648 to 2147483647";

test.each<readonly [JsonValue, Fields]>([
  [null, [["body", "null is not an object"]]],
  ["text", [["body", '"text" is not an object']]],
  [[], [["body", "a list is not an object"]]],
  [{ text: 5 }, [["text", "5 is not a string"]]],
  [{ number: 2 ** 31 }, [["number", `2147483648 is not ${int32}`]]],
  [
    { number: 1.5, big: "x" },
    [
      ["number", `1.5 is not ${int32}`],
      ["big", `"x" is not ${int64}`],
    ],
  ],
  [{ data: "§" }, [["data", '"§" is not bytes in base64']]],
  [{ genre: "NOPE" }, [["genre", `"NOPE" is not ${genres}`]]],
  [
    { genre: "science" },
    [["genre", `"science" is not ${genres.replace(", valid", ", the nearest is GENRE_SCIENCE, valid")}`]],
  ],
  [{ filters: {} }, [["filters", "an object is not a list in which each element is an object"]]],
  [{ filters: [{}, 7] }, [["filters[1]", "7 is not an object"]]],
  [
    { filters: [{ inner: { columnName: {} } }] },
    [["filters[0].inner.column_name", "an object is not a string"]],
  ],
  [{ filters: [{ values: [1, "x", 2] }] }, [["filters[0].values[1]", `"x" is not ${int32}`]]],
  [{ genres: { a: "GENRE_FICTION", b: "NOPE" } }, [['genres["b"]', `"NOPE" is not ${genres}`]]],
  [
    { any: { "@type": "x/y" } },
    [["any", "an object is not a google.protobuf.Any: x/y is not in the type registry"]],
  ],
])("%j", (json, expected) => {
  expect(violationsOf(() => decodeJson(EchoMessageSchema, json))).toEqual(expected);
});

test("the name of an enum has its article", () => {
  const order = "an Order, valid are ORDER_NEWEST";
  expect(violationsOf(() => decodeJson(WatchRequestSchema, { order: "newest" }))).toEqual([
    ["order", `"newest" is not ${order}`],
  ]);
});

test("a long list: the first bad elements are named, wherever they are", () => {
  const values = new Array<JsonValue>(200_000).fill(1).with(0, "a").with(1_025, "b").with(199_999, "c");
  const bad = (fields: Fields) => fields.map(([field]) => field);
  const read = (filter: JsonValue) =>
    violationsOf(() => decodeJson(EchoMessageSchema, { filters: [filter] }));
  const at = (i: number) => `filters[0].values[${i}]`;
  expect(bad(read({ values }))).toEqual([at(0), at(1_025), at(199_999)]);
  expect(bad(read({ values: values.fill("x") }))).toEqual(Array.from({ length: 20 }, (_, i) => at(i)));
});

test.each<readonly [JsonValue, string]>([
  [{ acquiredAt: "yesterday" }, "acquired_at"],
  [{ cites: [{ acquired_at: 5 }] }, "cites[0].acquired_at"],
  [{ shop: "a", donor: {} }, "body"],
  [{ displayName: "a", display_name: "b" }, "body"],
  [{ keywords: { a: 1, b: "much" } }, 'keywords["b"]'],
])("%j has its fault at %s", (json, field) => {
  expect(violationsOf(() => decodeJson(BookSchema, json)).map(([name]) => name)).toEqual([field]);
});

test("keys without a field are ignored where that is wanted, at any depth", () => {
  const json = {
    text: "a",
    bogus: 1,
    filters: [{ columnName: "b", bogus: {} }],
    genres: { k: "GENRE_FICTION" },
    value: { any: [1] },
  };
  expect(toJson(EchoMessageSchema, decodeJson(EchoMessageSchema, json, "", "ignore") as never)).toEqual({
    text: "a",
    filters: [{ columnName: "b" }],
    genres: { k: "GENRE_FICTION" },
    value: { any: [1] },
  });
});

test("a nest deeper than the limit is refused, whatever it is made of", () => {
  const nest = (levels: number, key: string): JsonValue =>
    JSON.parse(`${`{"${key}":`.repeat(levels)}{}${"}".repeat(levels)}`) as JsonValue;
  const lists = JSON.parse(`{"value":${"[".repeat(50_000)}${"]".repeat(50_000)}}`) as JsonValue;
  expect(violationsOf(() => decodeJson(BookSchema, { cites: [nest(5_000, "bogus")] }, "", "ignore"))).toEqual(
    [],
  );
  expect(violationsOf(() => decodeJson(EchoMessageSchema, { filters: [nest(5_000, "inner")] }))).toHaveLength(
    1,
  );
  expect(violationsOf(() => decodeJson(EchoMessageSchema, lists))).toHaveLength(1);
});

test("at most twenty faults are reported", () => {
  const json = { filters: Array.from({ length: 500 }, () => ({ columnName: 1 })) };
  expect(violationsOf(() => decodeJson(EchoMessageSchema, json))).toHaveLength(20);
});

test("any JSON is either read or refused as the caller's fault", () => {
  const value = fc.jsonValue() as fc.Arbitrary<JsonValue>;
  const keys = fc.constantFrom(
    "text",
    "number",
    "big",
    "data",
    "genre",
    "filters",
    "genres",
    "value",
    "any",
    "bogus",
  );
  fc.assert(
    fc.property(fc.dictionary(keys, value), (json) => {
      const fields = violationsOf(() => decodeJson(EchoMessageSchema, json, "", "ignore"));
      const again = violationsOf(() =>
        decodeJson(EchoMessageSchema, { ...json, unheardOf: 1 }, "", "ignore"),
      );
      expect(again).toEqual(fields);
    }),
  );
});

/** A list that notes the highest index that was read. */
function watched<T>(list: T[]): { readonly list: T[]; readonly highest: () => number } {
  let highest = -1;
  const get = (target: T[], name: string | symbol): unknown => {
    if (typeof name === "string" && /^[0-9]+$/.test(name)) highest = Math.max(highest, Number(name));
    return Reflect.get(target, name);
  };
  return { list: new Proxy(list, { get }), highest: () => highest };
}

describe("what is wrong is looked for only until as much is found as is shown", () => {
  const cases: readonly (readonly [name: string, wrap: (list: JsonValue[]) => JsonValue, bad: JsonValue])[] =
    [
      ["numbers", (list) => ({ filters: [{ values: list }] }), "x"],
      ["messages", (list) => ({ filters: list }), 7],
      ["fields of messages", (list) => ({ filters: list }), { inner: { columnName: 7 } }],
    ];
  test.each(cases)("%s", (_name, wrap, bad) => {
    const { list, highest } = watched(new Array<JsonValue>(5_000).fill(bad));
    expect(violationsOf(() => decodeJson(EchoMessageSchema, wrap(list)))).toHaveLength(20);
    expect(highest()).toBeLessThan(300);
  });

  test("a bad element after many good ones is found", () => {
    const values = [...new Array<JsonValue>(3_000).fill(1), "x", 2];
    expect(violationsOf(() => decodeJson(EchoMessageSchema, { filters: [{ values }] }))).toEqual([
      ["filters[0].values[3000]", `"x" is not ${int32}`],
    ]);
  });

  test("of a map too", () => {
    const good = Array.from({ length: 1_000 }, (_, i) => [`a${i}`, "GENRE_FICTION"]);
    const bad = Array.from({ length: 1_000 }, (_, i) => [`b${i}`, "NOPE"]);
    const genres = Object.fromEntries([...good, ["z", "NOPE"], ...bad]);
    const found = violationsOf(() => decodeJson(EchoMessageSchema, { genres }));
    expect(found).toHaveLength(20);
    expect(found[0]).toEqual([
      'genres["z"]',
      '"NOPE" is not a Genre, valid are GENRE_FICTION, GENRE_SCIENCE',
    ]);
  });
});
