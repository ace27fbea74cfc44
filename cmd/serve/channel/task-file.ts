import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { parse } from "yaml";
import { InvalidFieldsError } from "../../../base/rpc/invalid-fields.ts";
import { firstLine } from "../../../base/text/system-error.ts";
import { decodeJson } from "../../../gateway/rest/json-message.ts";
import { type Task, TaskSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { readQuery } from "../../../services/channel/rest/read-query.ts";
import { UserError } from "../../terminal/user-error.ts";

/**
 * Decodes a task in YAML or JSON as the server decodes it over REST. Push ids may be a list, and a value of a content a text.
 * @param name of the file, for messages
 * @throws UserError
 */
export function decodeTask(name: string, source: string): Task {
  let value: unknown;
  try {
    // In YAML's core schema dates are texts.
    value = parse(source);
  } catch (error) {
    throw new UserError(`${name} is not YAML: ${firstLine((error as Error).message)}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UserError(`${name} is not a task: it must be an object with channel_id, contents and audience`);
  }
  const { json, violations } = readQuery(TaskSchema, withListedIds(withTextValues(value as JsonObject)), "");
  if (violations.length > 0) throw new UserError(`${name}: ${new InvalidFieldsError(violations).message}`);
  try {
    return fromJson(TaskSchema, json);
  } catch (error) {
    throw new UserError(`${name} is not a task: ${reasonOf(json, error)}`, { cause: error });
  }
}

/** Names the fields that are wrong. Unknown keys are reported by the library. */
function reasonOf(json: JsonValue, error: unknown): string {
  try {
    decodeJson(TaskSchema, json);
  } catch (fault) {
    if (fault instanceof ConnectError) return fault.rawMessage;
  }
  return (error as Error).message;
}

/** Expands `push_ids: [ann]` to `push_ids: {push_ids: [ann]}`. */
function withListedIds(task: JsonObject): JsonObject {
  const { audience } = task;
  if (!isObject(audience)) return task;
  const entries = Object.entries(audience).map(([key, value]): [string, JsonValue] =>
    /^push_?ids$/i.test(key) && Array.isArray(value) ? [key, { push_ids: value }] : [key, value],
  );
  return { ...task, audience: Object.fromEntries(entries) };
}

/** Expands `title: Hello` to `title: {text: Hello}` in the contents of a task and of its A/B groups. */
function withTextValues(task: JsonObject): JsonObject {
  return mapLists(task, {
    contents: withTexts,
    experiment_groups: (group) => mapLists(group, { contents: withTexts }),
    experimentGroups: (group) => mapLists(group, { contents: withTexts }),
  });
}

/** Changes the items of the named members of an object, where these are lists of objects. */
function mapLists(
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

function withTexts(content: JsonObject): JsonObject {
  const { values } = content;
  if (!isObject(values)) return content;
  const full = Object.entries(values).map(([name, value]): [string, JsonValue] => [
    name,
    typeof value === "string" || typeof value === "number" ? { text: String(value) } : value,
  ]);
  return { ...content, values: Object.fromEntries(full) };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
