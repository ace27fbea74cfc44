import type { DescMessage, JsonObject, JsonValue, MessageShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { parse } from "yaml";
import { firstLine } from "../../../base/text/system-error.ts";
import { decodeJson } from "../../../gateway/rest/json-message.ts";
import { UserError } from "../../terminal/user-error.ts";

/**
 * Reads an object in YAML or JSON.
 * @param name of the file, for messages
 * @param what the object describes, with its article and its most important members
 * @throws UserError
 */
export function parseObject(name: string, source: string, what: string, members: string): JsonObject {
  let value: unknown;
  try {
    // In YAML's core schema dates are texts.
    value = parse(source);
  } catch (error) {
    throw new UserError(`${name} is not YAML: ${firstLine((error as Error).message)}`, { cause: error });
  }
  if (isObject(value as JsonValue)) return value as JsonObject;
  throw new UserError(`${name} is not ${what}: it must be an object with ${members}`);
}

/** Decodes a message as the server decodes it over REST. @throws UserError that names the wrong fields */
export function decodeObject<D extends DescMessage>(
  schema: D,
  json: JsonObject,
  name: string,
  what: string,
): MessageShape<D> {
  try {
    return decodeJson(schema, json) as MessageShape<D>;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    throw new UserError(`${name} is not ${what}: ${error.rawMessage}`, { cause: error });
  }
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Changes the items of the named members of an object, where these are lists of objects. */
export function mapLists(
  object: JsonObject,
  changes: Readonly<Record<string, (item: JsonObject) => JsonObject>>,
): JsonObject {
  const entries = Object.entries(object).map(([key, value]): [string, JsonValue] => {
    const change = Object.hasOwn(changes, key) ? changes[key] : undefined;
    if (change === undefined || !Array.isArray(value)) return [key, value];
    return [key, value.map((item) => (isObject(item) ? change(item) : item))];
  });
  return Object.fromEntries(entries);
}
