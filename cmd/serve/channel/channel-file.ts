import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { valueNumber } from "../../../base/protobuf/value-words.ts";
import { type Channel, ChannelSchema, InputMethodSchema } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { decodeObject, mapLists, parseObject } from "./message-file.ts";

const what = "a channel";

/** Reads a push channel in YAML or JSON, before its members are checked. @throws UserError */
export function parseChannel(name: string, source: string): JsonObject {
  return parseObject(name, source, what, "name, project_id, url and push_id_property");
}

/**
 * Decodes a push channel as the server decodes it over REST. Input methods may be words, such as `dynamic_text`.
 * @param name of the file, for messages
 * @throws UserError that names the wrong fields
 */
export function decodeChannel(name: string, json: JsonObject): Channel {
  return decodeObject(ChannelSchema, withInputMethods(json), name, what);
}

function withInputMethods(channel: JsonObject): JsonObject {
  return mapLists(channel, { content_template: withInputMethod, contentTemplate: withInputMethod });
}

function withInputMethod(field: JsonObject): JsonObject {
  const entries = Object.entries(field).map(([key, value]): [string, JsonValue] =>
    /^input_?method$/i.test(key) && typeof value === "string" ? [key, nameOf(value)] : [key, value],
  );
  return Object.fromEntries(entries);
}

function nameOf(word: string): string {
  const number = valueNumber(InputMethodSchema, word);
  const value = InputMethodSchema.values.find((one) => one.number === number && number !== 0);
  return value?.name ?? word;
}
