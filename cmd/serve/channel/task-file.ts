import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { InvalidFieldsError } from "../../../base/rpc/invalid-fields.ts";
import { type Task, TaskSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { readQuery } from "../../../services/channel/rest/read-query.ts";
import { UserError } from "../../terminal/user-error.ts";
import { decodeObject, isObject, mapLists, parseObject } from "./message-file.ts";

const what = "a task";

/**
 * Decodes a task in YAML or JSON as the server decodes it over REST. Push ids may be a list, and a value of a content a
 * text.
 * @param name of the file, for messages
 * @throws UserError
 */
export function decodeTask(name: string, source: string): Task {
  const value = parseObject(name, source, what, "channel_id, contents and audience");
  const { json, violations } = readQuery(TaskSchema, withListedIds(withTextValues(value)), "");
  if (violations.length > 0) throw new UserError(`${name}: ${new InvalidFieldsError(violations).message}`);
  try {
    return fromJson(TaskSchema, json);
  } catch (error) {
    // The library names no path, so the server's reader says which fields are wrong.
    if (isObject(json)) decodeObject(TaskSchema, json, name, what);
    throw new UserError(`${name} is not ${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** Decodes the values of a content by the names of their fields. @throws UserError */
export function decodeContent(name: string, source: string): Task["contents"][number] {
  const values = parseObject(name, source, "a content", "a value for each field");
  const json = withTextValues({ contents: [{ language: "default", values }] });
  return decodeObject(TaskSchema, json, name, "a content").contents[0]!;
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

function withTexts(content: JsonObject): JsonObject {
  const { values } = content;
  if (!isObject(values)) return content;
  const full = Object.entries(values).map(([name, value]): [string, JsonValue] => [
    name,
    typeof value === "string" || typeof value === "number" ? { text: String(value) } : value,
  ]);
  return { ...content, values: Object.fromEntries(full) };
}
