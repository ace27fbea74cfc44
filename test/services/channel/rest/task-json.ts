import type { DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { decodeJson } from "../../../../gateway/rest/json-message.ts";
import { type Task, TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { createChannelCodecs } from "../../../../services/channel/rest/codecs.ts";

export const codecs = createChannelCodecs(decodeJson);

export function read({ typeName }: DescMessage, field: string, json: JsonValue): Message {
  return codecs.get(typeName)!.decode!({ raw: Buffer.of(), field, json: () => json }).message;
}

export function decode(json: JsonValue): Task {
  return read(TaskSchema, "task", json) as Task;
}

export const taskOf = (...filts: JsonValue[]): JsonValue => ({ audience: { users: { filts } } });
