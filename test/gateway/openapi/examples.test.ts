import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { describeOpenApi } from "../../../gateway/openapi/document.ts";
import { at, options, services } from "./library-document.ts";

describe("examples", () => {
  const json = (value: JsonValue) => ({ type: "application/json", value });
  const illustrated = describeOpenApi(services, {
    ...options,
    examples: {
      operations: {
        "GET /v1/books/{id}": { parameters: { id: "7", name: "b" }, response: json({ id: "7" }) },
        "POST /engage.test.v1.Library/GetBook": { request: json({ id: "7" }), response: json({ id: "7" }) },
        "PUT /v1/files/{path}": {
          request: { type: "text/plain", value: "hello", note: "Signed." },
          response: json({ length: "5" }),
        },
        "POST /fail/envelope": {
          request: json({}),
          response: json({ text: "a" }),
          error: json({ return_code: -1, return_message: "no" }),
        },
      },
      errors: { StatusError: json({ code: 5, message: "no such book", details: [] }) },
    },
  });
  const file = at(illustrated, "paths", "/v1/files/{path}", "put", "requestBody", "content") as JsonObject;

  test("of parameters are with their descriptions", () => {
    expect(at(illustrated, "paths", "/v1/books/{id}", "get", "parameters")).toMatchObject([
      { name: "id", example: "7" },
      { name: "name", example: "b" },
    ]);
  });

  test("of bodies are with their schemas", () => {
    const call = at(illustrated, "paths", "/engage.test.v1.Library/GetBook", "post") ?? null;
    const withExample = (type: string, name: string) => ({
      "application/json": {
        schema: { $ref: `#/components/schemas/engage.test.v1.${type}` },
        examples: { [name]: { value: { id: "7" } } },
      },
    });
    expect(at(call, "requestBody", "content")).toEqual(withExample("GetBookRequest", "call"));
    expect(at(call, "responses", "200", "content")).toEqual(withExample("Book", "success"));
  });

  test("of bodies of any type have their own", () => {
    expect(Object.keys(file)).toEqual(["text/plain", "*/*"]);
    expect(file["text/plain"]).toEqual({ examples: { call: { description: "Signed.", value: "hello" } } });
  });

  test("of errors are with their responses", () => {
    const content = ["content", "application/json", "examples"];
    expect(at(illustrated, "paths", "/fail/envelope", "post", "responses", "200", ...content)).toEqual({
      success: { value: { text: "a" } },
      error: { value: { return_code: -1, return_message: "no" } },
    });
    expect(at(illustrated, "components", "responses", "StatusError", ...content)).toEqual({
      error: { value: { code: 5, message: "no such book", details: [] } },
    });
  });

  test("leave the document valid", async () => {
    expect(await new Validator().validate(structuredClone(illustrated))).toEqual({ valid: true });
  });
});
