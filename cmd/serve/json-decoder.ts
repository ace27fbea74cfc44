import type { DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { decodeJson } from "../../gateway/rest/json-message.ts";
import type { Config } from "../config/config.ts";

/** Reads proto3 JSON as the gateway does with this configuration, for codecs of services. */
export function jsonDecoderOf({ gateway }: Config) {
  return (desc: DescMessage, json: JsonValue, at: string): Message =>
    decodeJson(desc, json, at, gateway.json.unknownMembers);
}
