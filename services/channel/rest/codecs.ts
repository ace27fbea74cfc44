import { type DescMessage, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { InvalidFieldsError } from "../../../base/rpc/invalid-fields.ts";
import type { RestBody, RestCodec, RestCodecs } from "../../../base/rpc/rest-codec.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { ChannelSchema } from "../../../gen/engage/channel/v1/channel_pb.ts";
import {
  CancelTaskResponseSchema,
  CreateTaskResponseSchema,
  EstimateAudienceRequestSchema,
  GetTaskResponseSchema,
  ListTasksResponseSchema,
  PreviewMessageRequestSchema,
  RunTaskResponseSchema,
  TestChannelRequestSchema,
} from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { TaskSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { toConnectError } from "../refusals.ts";
import type { ReadJson } from "./json-values.ts";
import { readChannel, readChannelWithin } from "./read-channel.ts";
import { readQuery } from "./read-query.ts";
import { writeQuery } from "./write-query.ts";

/** Reads proto3 JSON. @throws ConnectError with a BadRequest that names fields by their path, which starts with `at` */
export type DecodeJson = (desc: DescMessage, json: JsonValue, at: string) => Message;

/** @param at the path of the message in violations */
type Read = (desc: DescMessage, json: JsonValue, at: string) => ReadJson;

const readers: readonly (readonly [DescMessage, Read])[] = [
  [TaskSchema, readQuery],
  [EstimateAudienceRequestSchema, readQuery],
  [PreviewMessageRequestSchema, readQuery],
  [ChannelSchema, readChannel],
  [TestChannelRequestSchema, readChannelWithin],
];

/** The responses that contain tasks. */
const written: readonly DescMessage[] = [
  CreateTaskResponseSchema,
  RunTaskResponseSchema,
  CancelTaskResponseSchema,
  GetTaskResponseSchema,
  ListTasksResponseSchema,
];

/**
 * Creates the REST codecs of channels. Audiences are read and written in the platform's form; invalid delivery settings
 * are refused with their ranges.
 */
export function createChannelCodecs(decodeJson: DecodeJson): RestCodecs {
  return new Map<string, RestCodec>([
    ...readers.map(([desc, read]): [string, RestCodec] => [
      desc.typeName,
      { decode: (body) => ({ message: decode(desc, body, read, decodeJson) }) },
    ]),
    ...written.map((desc): [string, RestCodec] => [
      desc.typeName,
      { encode: (message) => encode(desc, message) },
    ]),
  ]);
}

function decode(desc: DescMessage, { field, json }: RestBody, read: Read, decodeJson: DecodeJson): Message {
  const at = field === "*" ? "" : field;
  const { json: plain, violations } = read(desc, json(), at);
  try {
    const message = decodeJson(desc, plain, at);
    if (violations.length === 0) return message;
  } catch (error) {
    if (violations.length === 0) throw error;
    throw toConnectError(new InvalidFieldsError([...violations, ...violationsIn(error)]));
  }
  throw toConnectError(new InvalidFieldsError(violations));
}

function violationsIn(error: unknown): readonly Violation[] {
  if (!(error instanceof ConnectError)) throw error;
  return error
    .findDetails(BadRequestSchema)
    .flatMap(({ fieldViolations }) => fieldViolations)
    .map(({ field, description }) => ({ field, description: `is wrong: ${description}` }));
}

function encode(desc: DescMessage, message: Message): string {
  // Fields with their zero value are written, as in every REST response.
  return JSON.stringify(writeQuery(desc, toJson(desc, message, { alwaysEmitImplicit: true })));
}
