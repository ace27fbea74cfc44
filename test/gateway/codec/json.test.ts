import { create, fromJson, type JsonValue, toJson, toJsonString } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJsonBodyReader, createJsonWriter } from "../../../gateway/codec/json.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { HealthCheckRequestSchema } from "../../../gen/grpc/health/v1/health_pb.ts";
import { type Request, RequestSchema } from "../../../gen/proto/parser_pb.ts";

const write = createJsonWriter(RequestSchema);
const readBody = createJsonBodyReader(RequestSchema, defaultLimits.json, "ignore");
const read = (text: string): JsonValue => {
  const body = readBody(Buffer.from(text));
  expect(body.text).toBe(text);
  return toJson(RequestSchema, body.message as Request);
};

describe("a message of opaque bytes", () => {
  it("is written and read as protobuf-es does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (content) => {
        const message = create(RequestSchema, { content });
        const text = write(message);
        expect(text).toBe(toJsonString(RequestSchema, message));
        expect(read(text)).toEqual(toJson(RequestSchema, message));
      }),
    );
  });

  it.each<[name: string, json: JsonValue]>([
    ["no padding", { content: "aGk" }],
    ["the URL alphabet", { content: "_-8=" }],
    ["white space", { content: "aG\nk=" }],
    ["an empty text", { content: "" }],
    ["null", { content: null }],
    ["no field", {}],
    ["a field more", { content: "aGk=", more: 1 }],
  ])("reads %s as protobuf-es does", (_name, json) => {
    const expected = fromJson(RequestSchema, json, { ignoreUnknownFields: true });
    expect(read(JSON.stringify(json))).toEqual(toJson(RequestSchema, expected));
    expect(read(JSON.stringify(json, null, 1))).toEqual(toJson(RequestSchema, expected));
  });

  it.each<[name: string, text: string]>([
    ["what is no base64", '{"content":"a*=="}'],
    ["a character whose low byte is a digit of base64", '{"content":"\u0141Gk="}'],
    ["a byte beyond ASCII", '{"content":"aGk\u00e9"}'],
    ["a number", '{"content":1}'],
    ["a text without its end", '{"content":"}'],
    ["a text that ends before", '{"content":"aG"k="}'],
    ["a control character", '{"content":"aGk=\naGk="}'],
    ["a list", '["content"]'],
    ["null", "null"],
  ])("refuses %s", (_name, text) => {
    expect(() => read(text)).toThrow();
  });
});

it("leaves other messages to protobuf-es", () => {
  const { message } = createJsonBodyReader(
    HealthCheckRequestSchema,
    defaultLimits.json,
    "ignore",
  )(Buffer.from('{"service":"a","unknown":1}'));
  expect(createJsonWriter(HealthCheckRequestSchema)(message)).toBe('{"service":"a"}');
});
