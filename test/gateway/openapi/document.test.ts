import type { JsonObject } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { describeOpenApi } from "../../../gateway/openapi/document.ts";
import { at, codecs, document, options, services } from "./library-document.ts";

test("the document is valid OpenAPI 3.1", async () => {
  for (const candidate of [
    document,
    describeOpenApi(services, {
      ...options,
      codecs,
      servers: ["https://api.example.com"],
      description: "d",
      documentation: "docs/",
    }),
  ]) {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(candidate))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  }
});

test("every reference leads somewhere", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path]) => path as string,
  );
  expect(references.length).toBeGreaterThan(50);
  const dangling = references.filter((path) => at(document, ...path.split("/")) === undefined);
  expect(dangling).toEqual([]);
});

test("operation ids occur once", () => {
  const ids = [...JSON.stringify(document).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("operations name the schemes of which they need one", () => {
  const secured = describeOpenApi(services, {
    ...options,
    security: {
      schemes: { key: { type: "http", scheme: "bearer" } },
      schemesOf: ({ desc }, isRest) => (isRest && desc.name === "GetBook" ? [] : ["key"]),
    },
  });
  expect(at(secured, "components", "securitySchemes")).toEqual({ key: { type: "http", scheme: "bearer" } });
  expect(at(secured, "paths", "/v1/books/{id}", "get", "security")).toEqual([]);
  expect(at(secured, "paths", "/engage.test.v1.Library/GetBook", "post", "security")).toEqual([{ key: [] }]);
  expect(JSON.stringify(document)).not.toContain('"security"');
});

test("the same services give the same text", () => {
  expect(JSON.stringify(describeOpenApi(services, options))).toBe(JSON.stringify(document));
});

describe("paths", () => {
  test("are those of REST and of Connect, without what neither can carry", () => {
    expect(Object.keys(document["paths"] as JsonObject)).toEqual([
      "/v1/shelves/{name_1}/books/{name_2}",
      "/v1/books/{id}",
      "/v1/shelves/{parent}/books",
      "/v1/books:import",
      "/v1/books:search",
      "/v1/echo",
      "/v1/echo/{text}",
      "/v1/echo/any/{text}",
      "/v1/files/{path}",
      "/v1/downloads/{path}",
      "/v1/books:watch",
      "/v1/books:rows",
      "/fail/status",
      "/fail/return-code",
      "/fail/envelope",
      ...[
        "GetBook",
        "CreateBook",
        "UpdateBook",
        "ImportBooks",
        "DeleteBook",
        "SearchBooks",
        "Echo",
        "GetFile",
        "PutFile",
        "Download",
        "Watch",
        "Collect",
        "NotOverRest",
      ].map((method) => `/engage.test.v1.Library/${method}`),
      ...["AsStatus", "AsReturnCode", "AsEnvelope"].map((method) => `/engage.test.v1.Failing/${method}`),
    ]);
  });

  test("that differ in the names of their parameters only are one", () => {
    const shelf = at(document, "paths", "/v1/shelves/{name_1}/books/{name_2}");
    expect(Object.keys(shelf as JsonObject)).toEqual(["get", "patch", "delete"]);
    expect(at(shelf ?? null, "patch", "parameters")).toMatchObject([
      { name: "name_1", in: "path", required: true },
      { name: "name_2", in: "path", required: true },
      { name: "updateMask", in: "query" },
    ]);
  });

  test("have their comments and their types", () => {
    expect(at(document, "paths", "/v1/books/{id}", "get")).toMatchObject({
      summary: "GetBook finds a book by its name or its number",
      description: "GetBook finds a book by its name or its number.",
      tags: ["engage.test.v1.Library"],
      parameters: [
        { name: "id", in: "path", description: "Its number.", schema: { type: "string", format: "int64" } },
        { name: "name", in: "query", description: "Its name, `shelves/s/books/b`." },
      ],
      responses: {
        "200": {
          content: { "application/json": { schema: { $ref: "#/components/schemas/engage.test.v1.Book" } } },
        },
      },
    });
  });

  test("list messages within messages as query parameters, but no maps", () => {
    const parameters = at(document, "paths", "/v1/books:search", "get", "parameters") as { name: string }[];
    const names = parameters.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "bigNatural",
        "filter.columnName",
        "filter.inner.values",
        "second.values",
        "times",
      ]),
    );
    expect(names).not.toContain("labels");
  });

  test.each([
    [
      "/v1/books:import",
      "post",
      { type: "array", items: { $ref: "#/components/schemas/engage.test.v1.Book" } },
    ],
    ["/v1/shelves/{parent}/books", "post", { $ref: "#/components/schemas/engage.test.v1.Book" }],
    ["/v1/echo", "post", { $ref: "#/components/schemas/engage.test.v1.EchoMessage" }],
  ])("%s has the body of its mapping", (path, method, schema) => {
    expect(
      at(document, "paths", path, method, "requestBody", "content", "application/json", "schema"),
    ).toMatchObject(schema);
  });

  test.each([
    ["/v1/files/{path}", "get", { "200": { content: { "*/*": {} } } }],
    ["/v1/books:rows", "get", { "200": { content: { "application/x-ndjson": {} } } }],
    ["/fail/status", "post", { default: { $ref: "#/components/responses/StatusError" } }],
    ["/fail/return-code", "post", { default: { $ref: "#/components/responses/ReturnCodeError" } }],
    ["/fail/envelope", "post", { "200": { description: expect.stringContaining("return_code") } }],
    ["/engage.test.v1.Library/Echo", "post", { default: { $ref: "#/components/responses/ConnectError" } }],
  ])("%s has the answers of its kind", (path, method, responses) => {
    expect(at(document, "paths", path, method, "responses")).toMatchObject(responses);
  });

  test.each([
    ["Watch", "WatchRequest", { minItems: 1, maxItems: 1 }, "WatchResponse", {}, /response is a stream/],
    ["Collect", "EchoMessage", {}, "EchoMessage", { minItems: 1, maxItems: 1 }, /request is a stream/],
  ])("%s is a stream over Connect", (method, input, requests, output, responses, note) => {
    const operation = at(document, "paths", `/engage.test.v1.Library/${method}`, "post") as JsonObject;
    expect(operation["description"]).toMatch(note);
    expect(operation["description"]).toContain("five bytes precede each message");
    const list = (name: string, sizes: object) => ({
      content: {
        "application/connect+json": {
          schema: { type: "array", items: { $ref: `#/components/schemas/engage.test.v1.${name}` }, ...sizes },
        },
      },
    });
    expect(operation["requestBody"]).toEqual({ required: true, ...list(input, requests) });
    expect(operation["responses"]).toEqual({
      "200": { description: expect.any(String), ...list(output, responses) },
    });
  });

  test("codecs show in REST and not in Connect", () => {
    const other = describeOpenApi(services, { ...options, codecs });
    const rest = at(
      other,
      "paths",
      "/v1/books/{id}",
      "get",
      "responses",
      "200",
      "content",
      "application/json",
      "schema",
    );
    expect(rest).toEqual({ $ref: "#/components/schemas/engage.test.v1.Book.rest" });
    const connect = at(
      other,
      "paths",
      "/engage.test.v1.Library/GetBook",
      "post",
      "responses",
      "200",
      "content",
      "application/json",
      "schema",
    );
    expect(connect).toEqual({ $ref: "#/components/schemas/engage.test.v1.Book" });
    expect(at(other, "paths", "/v1/books:rows", "get", "responses", "200", "content")).toHaveProperty([
      "text/csv",
    ]);
  });
});
