import { type DescMessage, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import {
  CancelTaskResponseSchema,
  CreateTaskResponseSchema,
  EstimateAudienceRequestSchema,
  GetTaskResponseSchema,
  ListTasksResponseSchema,
  RunTaskResponseSchema,
} from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { TaskSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { InvalidFieldsError, toConnectError, type Violation } from "../refusals.ts";
import { readQuery } from "./read-query.ts";
import { writeQuery } from "./write-query.ts";

/** The REST form of one message type, as the gateway takes it. */
export interface ChannelJsonCodec {
  readonly decode?: (body: ChannelBody) => Message;
  readonly encode?: (message: Message) => string;
}

/** What the gateway gives a codec to read. */
export interface ChannelBody {
  /** The field that the body is for; `*` when it is the request itself. */
  readonly field: string;
  readonly json: () => JsonValue;
}

/** Reads proto3 JSON. @throws ConnectError with a BadRequest that names fields by their path after `at` */
export type DecodeJson = (desc: DescMessage, json: JsonValue, at: string) => Message;

/** Requests with audiences, which may be written in the platform's words, and answers that are. */
export function createChannelCodecs(decodeJson: DecodeJson): ReadonlyMap<string, ChannelJsonCodec> {
  const readers = [TaskSchema, EstimateAudienceRequestSchema].map(
    (desc) => [desc.typeName, { decode: (body: ChannelBody) => decode(desc, body, decodeJson) }] as const,
  );
  const writers = [
    ...[CreateTaskResponseSchema, RunTaskResponseSchema, CancelTaskResponseSchema],
    ...[GetTaskResponseSchema, ListTasksResponseSchema],
  ].map((desc) => [desc.typeName, { encode: (message: Message) => encode(desc, message) }] as const);
  return new Map<string, ChannelJsonCodec>([...readers, ...writers]);
}

function decode(desc: DescMessage, { field, json }: ChannelBody, decodeJson: DecodeJson): Message {
  const at = field === "*" ? "" : field;
  const { json: plain, violations } = readQuery(desc, json(), at);
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
    .map(({ field, description }) => ({ field, problem: `is wrong: ${description}` }));
}

function encode(desc: DescMessage, message: Message): string {
  // Fields with their zero value are written, as in every answer over REST.
  return JSON.stringify(writeQuery(desc, toJson(desc, message, { alwaysEmitImplicit: true })));
}
