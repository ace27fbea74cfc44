import type { DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { Code, type ConnectError, type HandlerContext } from "@connectrpc/connect";
import { recordOf } from "../../gateway/call/record.ts";
import { refuse } from "../../gateway/call/refusals.ts";
import { decodeJson } from "../../gateway/rest/json-message.ts";
import type { Config } from "../config/config.ts";

/** Returns the name of an authenticated caller; undefined when the server asks for no key. */
export function callerOf({ values }: Pick<HandlerContext, "values">): string | undefined {
  const { kind, name } = recordOf(values).caller;
  return kind === "anonymous" ? undefined : name;
}

/** Returns the name of the key or certificate of a caller which allows the method; undefined without one. */
export function keyOf({ values }: Pick<HandlerContext, "values">): string | undefined {
  const { caller, mayCall } = recordOf(values);
  return mayCall ? caller.name : undefined;
}

/** Returns a reader of proto3 JSON for the codecs of services, with the same configuration as the gateway's. */
export function jsonDecoderOf({ gateway }: Config) {
  return (desc: DescMessage, json: JsonValue, at: string): Message =>
    decodeJson(desc, json, at, gateway.json.unknownMembers);
}

/** Returns the error for a body that exceeds a limit. */
export function tooLarge(message: string): ConnectError {
  return refuse("MESSAGE_TOO_LARGE", Code.ResourceExhausted, message);
}
