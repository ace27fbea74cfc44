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

/** Wire codec of one message type. */
export interface WireCodec {
  /** Throws on malformed input. Bytes fields may be views of `payload`. */
  readonly decode: (payload: Uint8Array) => Message;
  /** The message behind `headroom` bytes that are left for the caller to fill. */
  readonly encode: (message: Message, headroom: number) => Encoded;
}

/** A message in one piece, or in two where the second lies in the message as it is and is too big to be copied. */
export interface Encoded {
  readonly head: Buffer;
  readonly tail: Uint8Array | undefined;
}

/** Opaque bytes from this size on are sent from where they are. */
const minTailBytes = 64 * 1024;

/**
 * The codec for a message type. protobuf-es works by reflection, which costs
 * more than the rest of a small call; messages that only carry opaque bytes
 * (one `bytes` field) are read and written directly, with one copy at most.
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

/** Throws on malformed input, and on more values than any honest message holds. */
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
      // Only the plain form: the one field, its length in as few bytes as needed, and nothing behind it.
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

/** The number and the offset behind it; -1 for one of more than four bytes. */
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
 * The one field of a message type that only carries opaque bytes, for which the
 * codecs go around the reflection of protobuf-es. Field numbers from 16 on take
 * a longer tag and are left to it.
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
