import { afterAll, describe, expect, test } from "vitest";
import { kRequestAttachment, type RawBody } from "../../../base/rpc/rest-codec.ts";
import { createCall, expectReportedOnce, json } from "./rest-call.ts";
import { openRestServer } from "./rest-server.ts";

const server = await openRestServer();
const call = createCall(server);
afterAll(() => server[Symbol.asyncDispose]());

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

  test("every call was reported once, with its outcome", () => expectReportedOnce(server));
});
