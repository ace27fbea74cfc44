import { afterAll, describe, expect, test } from "vitest";
import { createCall, expectReportedOnce, json } from "./rest-call.ts";
import { openRestServer } from "./rest-server.ts";

const server = await openRestServer();
const call = createCall(server);
afterAll(() => server[Symbol.asyncDispose]());

const everyType = {
  text: ["a b&c", "a b&c"],
  flag: ["1", true],
  small: ["-5", -5],
  natural: ["4294967295", 4294967295],
  big: ["9007199254740993", "9007199254740993"],
  big_natural: ["18446744073709551615", "18446744073709551615"],
  bigNatural: ["7", "7"],
  ratio: ["-1.5e3", -1500],
  rough: ["NaN", "NaN"],
  digest: ["-_8", "+/8="],
  genre: ["GENRE_SCIENCE", "GENRE_SCIENCE"],
  tags: ["x", ["x"]],
  genres: ["1", ["GENRE_FICTION"]],
  numbers: ["-9", ["-9"]],
  since: ["2024-01-02T03:04:05.5+01:00", "2024-01-02T02:04:05.500Z"],
  within: ["-1.5s", "-1.500s"],
  read_mask: ["display_name,acquiredAt", "displayName,acquiredAt"],
  maybe: ["false", false],
  maybeBig: ["12", "12"],
  times: ["2024-01-01T00:00:00Z", ["2024-01-01T00:00:00Z"]],
  limit: ["0", 0],
  first: ["f", "f"],
} as const;

describe("query parameters", () => {
  test.each(Object.entries(everyType))("%s=%j", async (name, [text, expected]) => {
    const answer = await call("GET", `/v1/books:search?${new URLSearchParams({ [name]: text })}`);
    const { understood } = JSON.parse(answer.text) as { understood: Record<string, unknown> };
    const jsonName = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(understood[jsonName]).toEqual(expected);
  });

  test.each([
    ["tags=a&tags=&tags=b", { tags: ["a", "", "b"] }],
    [
      "filter.column_name=c&filter.inner.values=1&filter.inner.values=2",
      { filter: { columnName: "c", inner: { columnName: "", values: [1, 2] }, values: [] } },
    ],
    ["second.columnName=c&second.values=3", { second: { columnName: "c", values: [3] } }],
    ["text", { text: "" }],
    ["&&text=%2B+%26&", { text: "+ &" }],
    ["_=123&text=a", { text: "a" }],
  ])("%s", async (query, expected) => {
    const answer = await call("GET", `/v1/books:search?${query}`);
    expect(JSON.parse(answer.text)).toMatchObject({ understood: expected });
  });

  test.each([
    ["small=x", "small", '"x" is not an int32, a whole number from -2147483648 to 2147483647'],
    [
      "small=2147483648",
      "small",
      '"2147483648" is not an int32, a whole number from -2147483648 to 2147483647',
    ],
    ["small=", "small", '"" is not an int32, a whole number from -2147483648 to 2147483647'],
    ["natural=-1", "natural", '"-1" is not a uint32, a whole number from 0 to 4294967295'],
    [
      "big=1.5",
      "big",
      '"1.5" is not an int64, a whole number from -9223372036854775808 to 9223372036854775807',
    ],
    ["flag=yes", "flag", '"yes" is not a bool, valid are true, false, 1, 0'],
    ["ratio=1,5", "ratio", '"1,5" is not a number'],
    ["rough=1e39", "rough", '"1e39" is not a number'],
    ["digest=a", "digest", '"a" is not bytes in base64'],
    ["genre=NOPE", "genre", '"NOPE" is not a Genre, valid are GENRE_FICTION, GENRE_SCIENCE'],
    ["genre=7", "genre", '"7" is not a Genre, valid are GENRE_FICTION, GENRE_SCIENCE'],
    ["since=today", "since", '"today" is not an RFC 3339 time such as 2024-05-01T12:00:00Z'],
    ["within=1.5sec", "within", '"1.5sec" is not a duration in seconds such as 1.5s'],
    [
      "maybe_big=x",
      "maybe_big",
      '"x" is not an int64, a whole number from -9223372036854775808 to 9223372036854775807',
    ],
    ["limit=1&limit=2", "limit", "has 2 values, but the field takes one"],
    ["maybe_big=1&maybeBig=2", "maybe_big", "has 2 values, but the field takes one"],
    [
      "first=a&second.values=1",
      "second.values",
      'only one of "first", "second" can be set, and "second" is not the first',
    ],
    ["text=%ff", "text", "has a malformed percent escape"],
  ])("%s is refused", async (query, field, description) => {
    const answer = await call("GET", `/v1/books:search?${query}`);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      code: 3,
      message: `${field}: ${description}`,
      details: [{ fieldViolations: [{ field, description, reason: "INVALID_VALUE" }] }],
    });
  });

  test.each([
    [
      "GET",
      "/v1/books/1?nmae=x",
      "nmae",
      'engage.test.v1.GetBookRequest has no field "nmae", valid are name',
    ],
    ["GET", "/v1/books/1?id=2", "id", '"id" is set by the path or the body, valid are name'],
    [
      "POST",
      "/v1/shelves/a/books?book.id=1",
      "book.id",
      '"book.id" is set by the path or the body, valid are token',
    ],
    ["POST", "/v1/echo?text=a", "text", "the body is the whole message, there are none"],
  ])("%s %s has a parameter that is none", async (method, path, field, problem) => {
    const answer = await call(method, path, method === "POST" ? "{}" : undefined, json);
    const description = `is not a query parameter: ${problem}`;
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      details: [{ fieldViolations: [{ field, description, reason: "UNKNOWN_PARAMETER" }] }],
    });
  });

  test.each(["labels=a", "labels.a=b", "filter=a", "since.seconds=1", "constructor=1", "toString=1"])(
    "%s names no field that a text can fill",
    async (query) => {
      const answer = await call("GET", `/v1/books:search?${query}`);
      expect(JSON.parse(answer.text)).toMatchObject({
        details: [{ fieldViolations: [{ reason: "UNKNOWN_PARAMETER" }] }],
      });
    },
  );

  test("all faults of a request are reported together", async () => {
    const answer = await call("GET", "/v1/books:search?small=x&flag=y&nope=z");
    const { message, details } = JSON.parse(answer.text) as {
      message: string;
      details: [{ fieldViolations: { field: string }[] }];
    };
    expect(message).toMatch(/^small: .* \(and 2 more faults\)$/);
    expect(details[0].fieldViolations.map(({ field }) => field)).toEqual(["small", "flag", "nope"]);
  });
});

test.each([
  ["names", Array.from({ length: 3_500 }, (_, i) => i.toString(36)).join("&")],
  ["escapes", "%&".repeat(6_000)],
])("of thousands of wrong %s twenty are reported", async (_, query) => {
  const { status, text } = await call("GET", `/v1/books:search?${query}`);
  const { message, details } = JSON.parse(text) as {
    message: string;
    details: [{ fieldViolations: readonly unknown[] }];
  };
  expect(status).toBe(400);
  expect(message).toMatch(/ \(and 19 more faults\)$/);
  expect(details[0].fieldViolations).toHaveLength(20);
});

test("every call with query parameters was reported once, with its outcome", () =>
  expectReportedOnce(server));
