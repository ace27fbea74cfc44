import type { DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { Code, type ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { Trace } from "../../base/trace/trace.ts";
import { recordOf } from "../../gateway/call/record.ts";
import { refuse } from "../../gateway/call/refusals.ts";
import { decodeJson } from "../../gateway/rest/json-message.ts";
import type { Config } from "../config/config.ts";
import { isLoopback } from "../config/listen.ts";

/** Returns the name of an authenticated caller; undefined when the server asks for no key. */
export function callerOf({ values }: Pick<HandlerContext, "values">): string | undefined {
  const { kind, name } = recordOf(values).caller;
  return kind === "anonymous" ? undefined : name;
}

/** Returns the trace that a call belongs to: below its span, or as its caller sent it. */
export function traceOf({ values }: Pick<HandlerContext, "values">): Trace | undefined {
  return recordOf(values).trace;
}

/** Returns the name of the key or certificate of a caller which allows the method; undefined without one. */
export function keyOf({ values }: Pick<HandlerContext, "values">): string | undefined {
  const { caller, mayCall } = recordOf(values);
  return mayCall ? caller.name : undefined;
}

/**
 * Returns a function that names a caller who may query without a token. It is the caller's key or certificate. On a
 * server that asks for no keys and listens on loopback, it is also the console: there, all callers may already make
 * every other call.
 */
export function analystOf({ auth, listen, console }: Config) {
  const trustsOwnPages = console && auth.mode === "off" && isLoopback(listen.host);
  return (context: HandlerContext): string | undefined =>
    keyOf(context) ?? (trustsOwnPages && isOfOwnPage(context) ? "console" : undefined);
}

/** Pages cannot set this header, and have no native gRPC. */
function isOfOwnPage({ protocolName, requestHeader }: HandlerContext): boolean {
  return protocolName !== "grpc" && requestHeader.get("sec-fetch-site") === "same-origin";
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
