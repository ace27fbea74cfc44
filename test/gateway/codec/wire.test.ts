import { create, type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWireCodec, type Encoded } from "../../../gateway/codec/wire.ts";
import { RequestSchema } from "../../../gen/proto/parser_pb.ts";
import { EchoMessageSchema } from "../testproto/gen/engage/test/v1/library_pb.ts";

/** Returns the outcome of decoding, with errors as values. */
function outcome(decode: () => Message): unknown {
  try {
    return decode();
  } catch {
    return "refused";
  }
}

/** The whole of an encoded message, without the headroom. */
function joined({ head, tail }: Encoded, headroom: number): Buffer {
  return Buffer.concat([head, ...(tail ? [tail] : [])]).subarray(headroom);
}

/** Bytes that often are a message, or nearly one. */
const nearly = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .uint8Array({ maxLength: 300 })
    .map((content) => toBinary(RequestSchema, create(RequestSchema, { content }))),
  fc
    .tuple(fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ maxLength: 130 }))
    .map(([head, tail]) => Uint8Array.from([0x0a, ...head, ...tail])),
);

describe.each<[string, DescMessage]>([
  ["a message of one bytes field", RequestSchema],
  ["a message of many fields", EchoMessageSchema],
])("%s", (_name, desc) => {
  const codec = createWireCodec(desc);

  test("is decoded as protobuf-es does it", () => {
    fc.assert(
      fc.property(nearly, (bytes) => {
        expect(outcome(() => codec.decode(bytes))).toEqual(outcome(() => fromBinary(desc, bytes)));
      }),
    );
  });

  test("is encoded as protobuf-es does it, after the headroom", () => {
    const contents = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 0, max: 140_000 }).map((n) => new Uint8Array(n)),
    );
    fc.assert(
      fc.property(contents, fc.nat(9), (bytes, headroom) => {
        const message = create(desc, { content: bytes, data: bytes } as never);
        const encoded = codec.encode(message, headroom);
        expect(joined(encoded, headroom)).toEqual(Buffer.from(toBinary(desc, message)));
      }),
    );
  });
});

test("unknown fields are sent back", () => {
  const codec = createWireCodec(RequestSchema);
  const bytes = Uint8Array.from([0x0a, 1, 7, 0x18, 5]);
  expect(joined(codec.encode(codec.decode(bytes), 0), 0)).toEqual(Buffer.from(bytes));
});

test("a value that is no bytes is refused and not sent as zeros", () => {
  const message = create(RequestSchema, { content: "text" as never });
  expect(() => createWireCodec(RequestSchema).encode(message, 0)).toThrow();
});

test("a message of more values than any honest one holds is refused before it is read", () => {
  const { decode } = createWireCodec(RequestSchema);
  const unknown = Buffer.from([0xf8, 0x01, 1]);
  expect(() => decode(Buffer.concat(new Array<Buffer>(1_000_001).fill(unknown)))).toThrow(
    "holds more than 1000000 messages, elements and unknown fields",
  );
});
