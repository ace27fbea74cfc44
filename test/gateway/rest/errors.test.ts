import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, describe, expect, test } from "vitest";
import { serve } from "../../../gateway/methods.ts";
import { encodeError } from "../../../gateway/rest/status.ts";
import { HttpBodySchema } from "../../../gen/google/api/httpbody_pb.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.ts";
import { Failing } from "../testproto/gen/engage/test/v1/library_pb.ts";
import { returnCodes } from "../testproto/library.ts";
import { openRestServer } from "./rest-server.ts";

const envelope = serve(Failing, {}, { returnCodes }).methods.find(
  ({ desc }) => desc === Failing.method.asEnvelope,
)!;
const server = await openRestServer({ limits: { maxMessageBytes: 1_000 } });
afterAll(() => server[Symbol.asyncDispose]());

async function fail(style: string, request: object, path = `/fail/${style}`) {
  const response = await fetch(server.url + path, {
    method: "POST",
    body: JSON.stringify(request),
    headers: { "content-type": "application/json" },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

describe("codes", () => {
  test.each([
    [Code.Canceled, 499, -1000],
    [Code.Unknown, 500, -1000],
    [Code.InvalidArgument, 400, -1001],
    [Code.DeadlineExceeded, 504, -1004],
    [Code.NotFound, 404, -1001],
    [Code.AlreadyExists, 409, -1000],
    [Code.PermissionDenied, 403, -1002],
    [Code.ResourceExhausted, 429, -1005],
    [Code.FailedPrecondition, 400, -1001],
    [Code.Aborted, 409, -1000],
    [Code.OutOfRange, 400, -1001],
    [Code.Unimplemented, 501, -1000],
    [Code.Internal, 500, -1000],
    [Code.Unavailable, 503, -1006],
    [Code.DataLoss, 500, -1000],
    [Code.Unauthenticated, 401, -1008],
  ])("code %i is HTTP %i and return code %i", async (code, status, returnCode) => {
    const message = "said so";
    const asStatus = await fail("status", { code, message });
    expect([asStatus.status, asStatus.body]).toEqual([status, { code, message, details: [] }]);
    const asReturnCode = await fail("return-code", { code, message });
    expect([asReturnCode.status, asReturnCode.body]).toEqual([
      status,
      { return_code: 1, return_message: message },
    ]);
    const asEnvelope = await fail("envelope", { code, message });
    expect([asEnvelope.status, asEnvelope.body]).toEqual([
      200,
      { return_code: returnCode, return_message: message },
    ]);
  });
});

const notServed = (style: string): string =>
  `method PUT is not served at /fail/${style}, valid are OPTIONS, POST`;

test.each([
  ["status", 405, { code: Code.Unimplemented, message: notServed("status"), details: expect.anything() }],
  ["return-code", 405, { return_code: 1, return_message: notServed("return-code") }],
  ["envelope", 200, { return_code: -1001, return_message: notServed("envelope") }],
])("a method that is not served is reported as errors of style %s are", async (style, status, body) => {
  const response = await fetch(`${server.url}/fail/${style}`, { method: "PUT" });
  expect([response.status, response.headers.get("allow")]).toEqual([status, "OPTIONS, POST"]);
  expect(await response.json()).toEqual(body);
});

test.each([
  ["-77", -77],
  ["0", -1001],
  ["x", -1001],
])("return code %j of the error's details becomes %i", async (returnCode, expected) => {
  const { body } = await fail("envelope", { code: Code.InvalidArgument, message: "m", returnCode });
  expect(body).toEqual({ return_code: expected, return_message: "m" });
});

test.each([
  ["404", 404],
  ["200", 200],
  ["99", 200],
  ["x", 200],
])("HTTP status %j of the details of an envelope becomes %i", (given, status) => {
  const value = { reason: "R", domain: "test", metadata: { http_status: given } };
  const error = new ConnectError("m", Code.NotFound, undefined, [{ desc: ErrorInfoSchema, value }]);
  const answer = encodeError(error, envelope);
  expect([answer.status, answer.body]).toEqual([status, '{"return_code":-1001,"return_message":"m"}']);
});

test("details are JSON with their type", async () => {
  const { body, headers } = await fail("status", {
    code: Code.ResourceExhausted,
    message: "m",
    returnCode: "5",
    retrySeconds: 1.2,
  });
  expect(body).toEqual({
    code: Code.ResourceExhausted,
    message: "m",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "TOLD_TO",
        domain: "test",
        metadata: { return_code: "5" },
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.200s" },
    ],
  });
  expect(headers.get("retry-after")).toBe("2");
  expect(headers.get("x-failed")).toBe("yes");
});

test("401 says how to authenticate", async () => {
  const { headers } = await fail("return-code", { code: Code.Unauthenticated, message: "m" });
  expect(headers.get("www-authenticate")).toBe("Bearer");
});

test.each([
  ["status", { code: 13, details: [{ "@type": "type.googleapis.com/google.rpc.RequestInfo" }] }],
  ["return-code", { return_code: 1 }],
  ["envelope", { return_code: -1000 }],
])(
  "an internal fault is reported as %s without its text, but with the request id",
  async (style, expected) => {
    const { body, headers } = await fail(style, { crash: true });
    expect(body).toMatchObject(expected);
    expect(JSON.stringify(body)).toContain(`internal error, request id ${headers.get("x-request-id")}`);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(server.faults.at(-1)).toBeInstanceOf(TypeError);
  },
);

describe("what the gateway itself refuses has the style of the method", () => {
  const large = { message: "x".repeat(2_000) };

  test.each([
    ["status", 413, { code: 8, details: [{ reason: "MESSAGE_TOO_LARGE", domain: "engage.gateway" }] }],
    ["return-code", 413, { return_code: 1 }],
    ["envelope", 200, { return_code: -1001 }],
  ])("too large a message as %s", async (style, status, expected) => {
    const answer = await fail(style, large);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(expected);
  });

  test("parameters that are none are ignored where the contract is a published one", async () => {
    const request = { code: Code.NotFound, message: "m" };
    const published = await fail("", request, "/fail/envelope?token=t&lang=en&code=5&request.code=1");
    expect(published.body).toEqual({ return_code: -1001, return_message: "m" });
    const own = await fail("", request, "/fail/status?lang=en");
    expect([own.status, own.body]).toMatchObject([
      400,
      { details: [{ fieldViolations: [{ field: "lang" }] }] },
    ]);
  });

  test("but not if they have a field and no value of its type", async () => {
    const { status, body } = await fail("", {}, "/fail/envelope?code=x");
    expect([status, body]).toMatchObject([
      200,
      { return_code: -1001, return_message: expect.stringContaining('"x" is not an int32') },
    ]);
  });

  test.each([
    ["status", 415, { code: 12 }],
    ["envelope", 200, { return_code: -1001 }],
  ])("a content encoding that is unknown, as %s", async (style, status, expected) => {
    const response = await fetch(`${server.url}/fail/${style}`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json", "content-encoding": "zstd" },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(expected);
  });

  test("values that are quoted are cut, lists of what is valid are not", async () => {
    const long = "x".repeat(4_000);
    const cut = `"${"x".repeat(100)}…" (4000 characters)`;
    const parameter = await fail("", {}, `/fail/envelope?code=${long}`);
    expect(parameter.body).toEqual({
      return_code: -1001,
      return_message: `code: ${cut} is not an int32, a whole number from -2147483648 to 2147483647`,
    });
    const misspelt = await fail("", {}, `/fail/status?${long}=1`);
    expect(misspelt.body).toMatchObject({
      message: expect.stringMatching(
        /^x{100}…: is not a query parameter: the body is the whole message, there are none$/,
      ),
    });
  });
});

describe("details from elsewhere", () => {
  const violation = create(BadRequestSchema, {
    fieldViolations: [{ field: "a", description: "b", reason: "C" }],
  });

  test.each([
    [
      "of a known type",
      { type: "google.rpc.BadRequest", value: toBinary(BadRequestSchema, violation) },
      { fieldViolations: [{ field: "a", description: "b", reason: "C" }] },
    ],
    ["that do not decode", { type: "google.rpc.BadRequest", value: Uint8Array.of(0xff) }, {}],
    ["of an unknown type", { type: "other.Thing", value: Uint8Array.of(1) }, {}],
  ])("%s", (_name, detail, expected) => {
    const error = new ConnectError("m", Code.Unavailable);
    error.details.push(detail);
    const { body } = encodeError(error);
    expect(JSON.parse(String(body))).toEqual({
      code: Code.Unavailable,
      message: "m",
      details: [{ "@type": `type.googleapis.com/${detail.type}`, ...expected }],
    });
  });

  test("ones without JSON are named by their type", () => {
    const extensions = [{ typeUrl: "x/y", value: Uint8Array.of(1) }];
    const error = new ConnectError("m", Code.Unknown, undefined, [
      { desc: HttpBodySchema, value: { extensions } },
      { desc: RetryInfoSchema, value: {} },
    ]);
    const { body, headers } = encodeError(error);
    expect(JSON.parse(String(body))).toMatchObject({
      details: [
        { "@type": "type.googleapis.com/google.api.HttpBody" },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo" },
      ],
    });
    expect(headers["retry-after"]).toBeUndefined();
  });
});
