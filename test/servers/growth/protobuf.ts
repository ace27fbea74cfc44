import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { EventCollector } from "../../../gen/engage/event/v1/event_collector_pb.ts";
import { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { Parser } from "../../../gen/proto/parser_pb.ts";

/** Makes a message of about `length` bytes. */
export type BinaryShape = (length: number) => Buffer;

const varintType = 0;
const bytesType = 2;
const groupType = 3;

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

const tagOf = (number: number, wireType: number): Buffer => varint((number << 3) | wireType);

/** A field of bytes or of a message. */
export function wrap(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([tagOf(number, bytesType), varint(content.length), content]);
}

const repeat =
  (piece: Buffer): BinaryShape =>
  (length) =>
    Buffer.alloc(Math.max(1, Math.floor(length / piece.length)) * piece.length, piece);

/** Messages within messages by one field, from the inside. */
const nested =
  (number: number): BinaryShape =>
  (length) => {
    const heads: Buffer[] = [];
    for (let inner = 0; inner < length; ) {
      const head = Buffer.concat([tagOf(number, bytesType), varint(inner)]);
      heads.push(head);
      inner += head.length;
    }
    return Buffer.concat(heads.reverse());
  };

const distinct =
  (number: number): BinaryShape =>
  (length) => {
    const entry = (at: number): Buffer => wrap(number, wrap(1, Buffer.from(`k${at}`)));
    const count = Math.ceil(length / entry(50_000).length);
    return Buffer.concat(Array.from({ length: count }, (_, at) => entry(at)));
  };

/** A number that no message here has. */
const unknown = 1_000;
const longVarint = Buffer.from([...Array<number>(9).fill(0xff), 1]);

/** Shapes that every message can be sent in. */
const anyShapes: Readonly<Record<string, BinaryShape>> = {
  "unknown numbers": repeat(Buffer.concat([tagOf(unknown, varintType), varint(1)])),
  "unknown long numbers": repeat(Buffer.concat([tagOf(unknown, varintType), longVarint])),
  "unknown texts": repeat(wrap(unknown, Buffer.from("x"))),
  "one unknown text": (length) => wrap(unknown, Buffer.alloc(length, "x")),
  "unknown messages within messages": nested(unknown),
  "unknown groups that never end": repeat(tagOf(unknown, groupType)),
  "unknown groups": repeat(Buffer.concat([tagOf(unknown, groupType), tagOf(unknown, 4)])),
  "a number that never ends": (length) =>
    Buffer.concat([tagOf(unknown, varintType), Buffer.alloc(length, 0xff)]),
  "a text beyond the end": (length) =>
    Buffer.concat([tagOf(unknown, bytesType), varint(length * 2), Buffer.alloc(length)]),
};

/** Shapes of one field, sent again and again. */
function fieldShapes(field: DescField): readonly (readonly [string, BinaryShape])[] {
  const { name, number } = field;
  const again = (text: string, content: Uint8Array): readonly [string, BinaryShape] => [
    `${name}, ${text}`,
    repeat(wrap(number, content)),
  ];
  if (field.fieldKind === "map")
    return [again("the same key", Buffer.alloc(0)), [`${name}, different keys`, distinct(number)]];
  if (field.message !== undefined)
    return [again("empty", Buffer.alloc(0)), [`${name}, within itself`, nested(number)]];
  if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES)
    return [
      again("empty", Buffer.alloc(0)),
      [`${name}, long`, (length) => wrap(number, Buffer.alloc(length, "x"))],
    ];
  return [
    [`${name}, one by one`, repeat(Buffer.concat([tagOf(number, varintType), varint(1)]))],
    [`${name}, long numbers`, repeat(Buffer.concat([tagOf(number, varintType), longVarint]))],
    [`${name}, packed`, (length) => wrap(number, Buffer.alloc(length, 1))],
  ];
}

/** Messages that are part of a request, with the fields that lead to them. */
interface Place {
  readonly name: string;
  readonly desc: DescMessage;
  readonly fields: readonly number[];
}

function placesOf({ input }: DescMethod): readonly Place[] {
  const inner = input.fields.flatMap(({ name, number, message }) =>
    message === undefined ? [] : [{ name: `its ${name}`, desc: message, fields: [number] }],
  );
  return [{ name: "it", desc: input, fields: [] }, ...inner];
}

export interface BinaryRequest {
  readonly name: string;
  readonly path: string;
  readonly message: BinaryShape;
  /** True if it is sent in each protocol, false for Connect only. */
  readonly isForAll: boolean;
}

const methods: readonly DescMethod[] = [
  Parser.method.parse,
  EventCollector.method.track,
  AnalysisProxy.method.analyzeEvents,
  ChannelSender.method.createChannel,
  ChannelSender.method.createTask,
  ChannelSender.method.estimateAudience,
  WebhookReceiver.method.receive,
];

export const binaryRequests: readonly BinaryRequest[] = methods.flatMap((method) =>
  placesOf(method).flatMap(({ name, desc, fields }) => {
    const shapes = [...Object.entries(anyShapes), ...desc.fields.flatMap(fieldShapes)];
    return shapes.map(([shapeName, shape], at) => ({
      name: `${method.name}, ${name}: ${shapeName}`,
      path: `/${method.parent.typeName}/${method.name}`,
      message: (length: number) =>
        fields.reduceRight((content, number) => wrap(number, content), shape(length)),
      isForAll: fields.length === 0 && at < Object.keys(anyShapes).length,
    }));
  }),
);
