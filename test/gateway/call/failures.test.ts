import type { OutgoingHttpHeaders } from "node:http";
import { create, fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mapErrors, toSafeError } from "../../../gateway/call/failures.ts";
import { CallRecord, type ProtocolName } from "../../../gateway/call/record.ts";
import { assignGrpcStatus, encodeGrpcMessage } from "../../../gateway/call/status.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import { Library } from "../testproto/gen/engage/test/v1/library_pb.ts";

const recordFor = (protocol: ProtocolName): CallRecord =>
  new CallRecord(Library.method.echo, protocol, { address: "127.0.0.1", secure: false }, {});

function safe(error: unknown, protocol: ProtocolName = "grpc") {
  const faults: unknown[] = [];
  const sent = toSafeError(error, recordFor(protocol), (fault) => faults.push(fault));
  return { sent, faults };
}

const big = create(BadRequestSchema, {
  fieldViolations: Array.from({ length: 100 }, (_, i) => ({ field: `field_${i}`, description: "is wrong" })),
});
const detailed = (): ConnectError =>
  new ConnectError("many", Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: big },
    { desc: ErrorInfoSchema, value: { reason: "MANY" } },
  ]);

describe("errors that leave the house", () => {
  test("what is good already stays the same object", () => {
    const error = new ConnectError("no such book", Code.NotFound, { "x-a": "b" });
    expect(safe(error)).toEqual({ sent: error, faults: [] });
    expect(safe(error).sent).toBe(error);
  });

  test.each([0, 17, -1, 2.5])("code %j, which does not exist, is UNKNOWN", (code) => {
    expect(safe(new ConnectError("a", code)).sent.code).toBe(Code.Unknown);
  });

  test("details that no gRPC client would take are left out, in the order given", () => {
    expect(safe(detailed()).sent.details).toMatchObject([{ desc: { typeName: "google.rpc.ErrorInfo" } }]);
    expect(safe(detailed(), "connect").sent.details.length).toBe(2);
  });

  test.each<[ProtocolName, number]>([
    ["grpc", 1_024],
    ["rest", 16_384],
    ["connect", 16_384],
  ])("a message over %s has at most %d bytes", (protocol, maxBytes) => {
    const messageOf = (bytes: number): string =>
      safe(new ConnectError("x".repeat(bytes), Code.NotFound), protocol).sent.rawMessage;
    expect(messageOf(maxBytes)).toBe("x".repeat(maxBytes));
    expect(messageOf(maxBytes + 1)).toBe(`${"x".repeat(maxBytes)}…`);
  });

  test("metadata that cannot be sent is a fault", () => {
    const error = new ConnectError("a", Code.NotFound, { "x-a": "a\x01b" });
    const { sent, faults } = safe(error);
    expect([sent.code, faults.length]).toEqual([Code.Internal, 1]);
  });

  test("a status fits in the headers that clients take", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 0, maxLength: 3_000 }), (text) => {
        const headers: OutgoingHttpHeaders = {};
        assignGrpcStatus(
          headers,
          safe(new ConnectError(text, Code.NotFound, undefined, detailed().details as never)).sent,
        );
        const bytes = Object.entries(headers).reduce(
          (sum, [name, value]) => sum + name.length + `${value}`.length,
          0,
        );
        expect(bytes).toBeLessThan(8 * 1024);
      }),
    );
  });

  test("the status in the details says the same as the headers", () => {
    const headers: Record<string, string> = {};
    const details = [{ desc: ErrorInfoSchema, value: { reason: "A" } }];
    assignGrpcStatus(headers, new ConnectError("é, 1:2/3", Code.NotFound, undefined, details));
    const status = fromBinary(StatusSchema, Buffer.from(headers["grpc-status-details-bin"]!, "base64"));
    expect(status).toMatchObject({ code: 5, message: "é, 1:2/3" });
    expect(headers["grpc-message"]).toBe("%C3%A9, 1:2/3");
  });
});

test("a gRPC message is printable, has no blanks at its ends, and can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const encoded = encodeGrpcMessage(text.toWellFormed());
      expect(encoded).toMatch(/^(?! )[\x20-\x7e]*(?<! )$/);
      expect(decodeURIComponent(encoded)).toBe(text.toWellFormed());
    }),
  );
});

describe("errors that end a stream", () => {
  async function* two() {
    yield 1;
    yield 2;
    throw new Error("ours");
  }
  const replace = (error: unknown): Error => new Error(`replaced ${(error as Error).message}`);

  test("are replaced after the messages before them", async () => {
    const seen: number[] = [];
    const reading = (async () => {
      for await (const value of mapErrors(two(), replace)) seen.push(value);
    })();
    await expect(reading).rejects.toThrow("replaced ours");
    expect(seen).toEqual([1, 2]);
  });

  test("are not what a consumer throws in", async () => {
    const stream = mapErrors(two(), replace);
    await stream.next();
    await expect(stream.throw(new Error("theirs"))).rejects.toThrow(/^theirs$/);
  });
});
