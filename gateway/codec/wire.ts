import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  type Message,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { holdsMoreValues, maxValues } from "../../base/protobuf/bounds.ts";

/** Codec of the binary form of one message type. */
export interface WireCodec {
  /** Throws on malformed input. Bytes fields may be views of `payload`. */
  readonly decode: (payload: Uint8Array) => Message;
  /** Encodes the message after `headroom` bytes that the caller fills. */
  readonly encode: (message: Message, headroom: number) => Encoded;
}

/** A message in one piece, or in two, of which the second is a large field that is not copied. */
export interface Encoded {
  readonly head: Buffer;
  readonly tail: Uint8Array | undefined;
}

/** Bytes from this size on are sent without a copy. */
const minTailBytes = 64 * 1024;

/**
 * Creates the codec of a message type. Messages with a single field of bytes are
 * read and written without reflection and with one copy at most: 200 bytes in
 * 0.05 instead of 0.24 µs when read, 0.25 instead of 1.5 µs when written.
 * `test/gateway/codec/wire.test.ts` compares both.
 */
export function createWireCodec(desc: DescMessage): WireCodec {
  const field = onlyBytesField(desc);
  return field === undefined ? generalCodec(desc) : bytesCodec(desc, field);
}

function generalCodec(desc: DescMessage): WireCodec {
  return {
    decode: (payload) => readMessage(desc, payload),
    encode(message, headroom) {
      const payload = toBinary(desc, message);
      const framed = Buffer.allocUnsafe(headroom + payload.length);
      framed.set(payload, headroom);
      return { head: framed, tail: undefined };
    },
  };
}

/** Reads a message. Throws on malformed input and on more than `maxValues` values. */
export function readMessage(desc: DescMessage, payload: Uint8Array): Message {
  if (holdsMoreValues(desc, payload, maxValues))
    throw new Error(`it holds more than ${maxValues} messages, elements and unknown fields`);
  return fromBinary(desc, payload);
}

/** Length-delimited wire type. */
const wireTypeBytes = 2;

function bytesCodec(desc: DescMessage, field: DescField): WireCodec {
  const general = generalCodec(desc);
  const tag = (field.number << 3) | wireTypeBytes;
  const name = field.localName;
  return {
    decode(payload) {
      // This path decodes the canonical form alone: the field, its length in as few bytes as possible, and nothing
      // after it.
      const [length, at] = payload[0] === tag ? readVarint(payload, 1) : [-1, 0];
      if (at + length !== payload.length) return general.decode(payload);
      const message = create(desc);
      (message as unknown as Record<string, Uint8Array>)[name] = payload.subarray(at);
      return message;
    },
    encode(message, headroom) {
      const bytes = (message as unknown as Record<string, Uint8Array>)[name] as Uint8Array;
      if (!(bytes instanceof Uint8Array) || bytes.length === 0 || message.$unknown !== undefined)
        return general.encode(message, headroom);
      const tail = bytes.length < minTailBytes ? undefined : bytes;
      const tagged = headroom + 1 + varintLength(bytes.length);
      const head = Buffer.allocUnsafe(tail === undefined ? tagged + bytes.length : tagged);
      head[headroom] = tag;
      writeVarint(head, headroom + 1, bytes.length);
      if (tail === undefined) head.set(bytes, tagged);
      return { head, tail };
    },
  };
}

/** Returns the number and the offset after it; -1 for more than four bytes. */
function readVarint(bytes: Uint8Array, offset: number): [value: number, end: number] {
  let value = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[offset + i] ?? 0x80;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return [value, offset + i + 1];
  }
  return [-1, 0];
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length++;
  return length;
}

function writeVarint(target: Uint8Array, offset: number, value: number): void {
  let at = offset;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
  target[at] = rest;
}

/**
 * Returns the field of a message type if it is the only one and holds bytes. Such
 * messages are read and written without the reflection of protobuf-es. Field
 * numbers from 16 on have a longer tag and are left to it.
 */
export function onlyBytesField({ fields }: DescMessage): DescField | undefined {
  const [field] = fields;
  const isOpaque =
    fields.length === 1 &&
    field?.fieldKind === "scalar" &&
    field.scalar === ScalarType.BYTES &&
    field.oneof === undefined &&
    field.number < 16;
  return isOpaque ? field : undefined;
}
