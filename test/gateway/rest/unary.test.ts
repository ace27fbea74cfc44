import { afterAll, describe, expect, test } from "vitest";
import { kRequestAttachment, type RawBody } from "../../../base/rpc/rest-codec.ts";
import { openRestServer } from "./rest-server.ts";

const server = await openRestServer();
afterAll(() => server[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function call(
  method: string,
  path: string,
  body?: NonNullable<RequestInit["body"]>,
  contentType?: string,
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    ...(body !== undefined && { body }),
    headers: contentType === undefined ? {} : { "content-type": contentType },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const json = "application/json";

describe("bindings", () => {
  test.each([
    [
      "a variable of several segments",
      "GET",
      "/v1/shelves/a%20b/books/c",
      undefined,
      { name: "shelves/a b/books/c" },
    ],
    ["an additional binding", "GET", "/v1/books/12", undefined, { id: "12" }],
    ["a custom method and a verb", "LOCK", "/v1/books/12:lock", undefined, { id: "12" }],
    ["a query beside the path", "GET", "/v1/books/12?name=x", undefined, { id: "12", name: "x" }],
    [
      "a body in a field",
      "POST",
      "/v1/shelves/a/books?token=t",
      '{"displayName":"d"}',
      { displayName: "d", "#notes": { parent: "shelves/a", token: "t" } },
    ],
    [
      "a body that is null",
      "POST",
      "/v1/shelves/a/books",
      "null",
      { displayName: "", "#notes": { parent: "shelves/a", token: "" } },
    ],
    [
      "the path before the body",
      "PATCH",
      "/v1/shelves/a/books/b",
      '{"name":"other","id":"3"}',
      { name: "shelves/a/books/b", id: "3" },
    ],
    ["the whole body", "POST", "/v1/echo", '{"text":"t","number":5}', { text: "t", number: 5 }],
    [
      "the whole body beside the path",
      "PUT",
      "/v1/echo/p%20q",
      '{"text":"t","number":5}',
      { text: "p q", number: 5 },
    ],
    ["any method", "PURGE", "/v1/echo/any/p", undefined, { text: "p" }],
    [
      "names as in the proto file",
      "POST",
      "/v1/echo",
      '{"filters":[{"column_name":"c"}]}',
      { filters: [{ columnName: "c", values: [] }] },
    ],
    ["an empty answer", "DELETE", "/v1/shelves/a/books/b", undefined, {}],
  ])("%s", async (_name, method, path, body, expected) => {
    const answer = await call(method, path, body, body && json);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(json);
    expect(JSON.parse(answer.text)).toMatchObject(expected);
  });

  test("a repeated field is a JSON array, in the body and in the answer", async () => {
    const answer = await call("POST", "/v1/books:import?channel=c", '[{"name":"a"},{"name":"b"}]', json);
    expect(answer.text).toBe('["c/a","c/b"]');
  });

  test("fields with their zero value are written, those with presence are not", async () => {
    const { text } = await call("GET", "/v1/books/1");
    expect(JSON.parse(text)).toEqual({
      name: "",
      id: "1",
      displayName: "",
      genre: "GENRE_UNSPECIFIED",
      keywords: {},
      cites: [],
    });
  });

  test("an HttpBody is its bytes, out and in", async () => {
    const got = await call("GET", "/v1/files/a%2Fb/c%20d");
    expect([got.status, got.headers.get("content-type"), got.text]).toEqual([200, "text/plain", "a%2Fb/c d"]);
    const put = await call("PUT", "/v1/files/a/b", Uint8Array.of(0, 255, 1), "image/png");
    expect(JSON.parse(put.text)).toEqual({ path: "a/b", contentType: "image/png", size: "3" });
  });

  test("the handler gets the exact body where its method asks for it, and nowhere else", async () => {
    const body = ' [ {"name" : "\\u0061", "id": 12345678901234567890123} ]\n';
    await call("POST", "/v1/books:import", body.replace(/12345678901234567890123/, '"1"'), json);
    const raw = server.seen.contexts.at(-1)?.values.get(kRequestAttachment) as RawBody;
    expect(Buffer.from(raw.body).toString()).toBe(body.replace(/12345678901234567890123/, '"1"'));
    await call("POST", "/v1/echo", "{}", json);
    expect(server.seen.contexts.at(-1)?.values.get(kRequestAttachment)).toBeUndefined();
  });

  test("the handler's headers are sent and the request id comes back", async () => {
    const response = await fetch(`${server.url}/v1/echo`, {
      method: "POST",
      body: '{"text":"hello"}',
      headers: { "content-type": json, "x-request-id": "id-1" },
    });
    expect(response.headers.get("x-echo")).toBe("hello");
    expect(response.headers.get("x-request-id")).toBe("id-1");
  });
});

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
    [
      "genre=NOPE",
      "genre",
      '"NOPE" is not a Genre, valid are GENRE_UNSPECIFIED, GENRE_FICTION, GENRE_SCIENCE',
    ],
    ["genre=7", "genre", '"7" is not a Genre, valid are GENRE_UNSPECIFIED, GENRE_FICTION, GENRE_SCIENCE'],
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
    ["POST", "/v1/echo?text=a", "text", "the body is the whole message, valid are none"],
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
    expect(message).toMatch(/^small: .* \(and 2 more\)$/);
    expect(details[0].fieldViolations.map(({ field }) => field)).toEqual(["small", "flag", "nope"]);
  });
});

test.each([
  ["names", Array.from({ length: 3_500 }, (_, i) => i.toString(36)).join("&")],
  ["escapes", "%&".repeat(6_000)],
])("of thousands of wrong %s twenty are told", async (_, query) => {
  const { status, text } = await call("GET", `/v1/books:search?${query}`);
  const { message, details } = JSON.parse(text) as {
    message: string;
    details: [{ fieldViolations: readonly unknown[] }];
  };
  expect(status).toBe(400);
  expect(message).toMatch(/ \(and 19 more\)$/);
  expect(details[0].fieldViolations).toHaveLength(20);
});

describe("refusals", () => {
  test.each([
    ["POST", "/v1/echo", "{", json, 400, 3],
    ["POST", "/v1/echo", "", json, 400, 3],
    ["POST", "/v1/echo", "\ufeff\ufeff{}", json, 400, 3],
    ["POST", "/v1/echo", new Blob(["{}"]), undefined, 415, 3],
    ["POST", "/v1/echo", Uint8Array.of(0x7b, 0xff, 0x7d), json, 400, 3],
    ["POST", "/v1/echo", "[]", json, 400, 3],
    ["POST", "/v1/books:import", "{}", json, 400, 3],
    ["GET", "/v1/books/%ff", undefined, undefined, 400, 3],
    ["GET", "/v1/books/twelve", undefined, undefined, 400, 3],
    ["POST", "/v1/echo", "a=b", "application/x-www-form-urlencoded", 415, 3],
    ["POST", "/v1/echo", "{}", "application/json; charset=latin1", 415, 3],
    ["POST", "/v1/echo", "{}", "text/plain", 415, 3],
    ["POST", "/v1/collect", "{}", json, 501, 12],
    ["DELETE", "/v1/echo", undefined, undefined, 405, 12],
    ["POST", "/v1/books/5", "{}", json, 405, 12],
  ])("%s %s of %j as %s is %i", async (method, path, body, contentType, status, code) => {
    const answer = await call(method, path, body, contentType);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe(json);
    expect(JSON.parse(answer.text)).toMatchObject({
      code,
      message: expect.any(String),
      details: expect.any(Array),
    });
  });

  test.each([
    json,
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/json; odata=verbose",
  ])("content type %s is taken for JSON", async (contentType) => {
    const headers = { "content-type": contentType };
    // A Blob without a type is sent without a content type of its own.
    const response = await fetch(`${server.url}/v1/echo`, {
      method: "POST",
      body: new Blob(["{}"]),
      headers,
    });
    expect(response.status).toBe(200);
  });

  test("without a body in the mapping the content type does not matter", async () => {
    const answer = await call("DELETE", "/v1/shelves/a/books/b", "whatever", "text/plain");
    expect(answer.status).toBe(200);
  });

  test.each([
    ["/v1/echo", "DELETE", "OPTIONS, POST"],
    ["/v1/shelves/a/books/b", "POST", "DELETE, GET, HEAD, OPTIONS, PATCH"],
    ["/v1/books/5", "PUT", "GET, HEAD, OPTIONS"],
  ])("%s does not take %s but %s", async (path, method, allow) => {
    const refused = await call(method, path);
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, allow]);
    const asked = await call("OPTIONS", path);
    expect([asked.status, asked.headers.get("allow"), asked.text]).toEqual([204, allow, ""]);
  });

  test("an unknown path is left to others", async () => {
    expect((await call("GET", "/v2/books")).headers.get("content-type")).toBeNull();
  });

  test("HEAD is GET without the body", async () => {
    const [head, get] = [await call("HEAD", "/v1/books/5"), await call("GET", "/v1/books/5")];
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
  });

  test("every call was reported once, with its outcome", () => {
    expect(server.finished).toHaveLength(server.started.length);
    expect(new Set(server.finished).size).toBe(server.finished.length);
    expect(server.finished.every((record) => record.protocol === "rest")).toBe(true);
  });
});
