import { create, fromJson, type JsonValue, toJson, toJsonString } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJsonCodec } from "../../../gateway/codec/json.ts";
import { HealthCheckRequestSchema } from "../../../gen/grpc/health/v1/health_pb.ts";
import { type Request, RequestSchema } from "../../../gen/proto/parser_pb.ts";

const codec = createJsonCodec(RequestSchema, "ignore");
const read = (json: JsonValue): JsonValue => toJson(RequestSchema, codec.decode(json) as Request);

describe("a message of opaque bytes", () => {
  it("is written and read as protobuf-es does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (content) => {
        const message = create(RequestSchema, { content });
        const text = codec.encode(message);
        expect(text).toBe(toJsonString(RequestSchema, message));
        expect(read(JSON.parse(text))).toEqual(toJson(RequestSchema, message));
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
    expect(read(json)).toEqual(toJson(RequestSchema, expected));
  });

  it.each<[name: string, json: JsonValue]>([
    ["what is no base64", { content: "a*==" }],
    ["a character whose low byte is a digit of base64", { content: "\u0141Gk=" }],
    ["a number", { content: 1 }],
    ["a list", ["content"]],
    ["null", null],
  ])("refuses %s", (_name, json) => {
    expect(() => codec.decode(json)).toThrow();
  });
});

it("leaves other messages to protobuf-es", () => {
  const { decode, encode } = createJsonCodec(HealthCheckRequestSchema, "ignore");
  expect(encode(decode({ service: "a", unknown: 1 }))).toBe('{"service":"a"}');
});
