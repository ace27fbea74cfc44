import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { parse } from "yaml";
import { InvalidFieldsError } from "../../base/rpc/invalid-fields.ts";
import { withoutTextMark } from "../../base/text/byte-order-mark.ts";
import { firstLine } from "../../base/text/system-error.ts";
import { decodeJson } from "../../gateway/rest/json-message.ts";
import { AudienceSchema, ContentSchema, type Task, TaskSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { readQuery } from "../../services/channel/rest/read-query.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";

/** What of a task is said on the command line; it goes before what the file says. */
export interface TaskWords {
  readonly channel?: string;
  readonly name?: string;
  /** Push ids. */
  readonly to?: readonly string[];
  /** File with a push id a line. */
  readonly toFile?: string;
  /** `field=text` of the default content. */
  readonly set?: readonly string[];
}

/**
 * The task of a file (`-` for standard input), in the form of
 * `engage.channel.v1.Task`, as YAML or JSON and with the platform's words in its
 * filters, with what the command line says.
 * @throws UserError
 */
export async function readTask(
  file: string | undefined,
  words: TaskWords,
  stdin: NodeJS.ReadableStream,
): Promise<Task> {
  const source = file === undefined ? "{}" : file === "-" ? withoutTextMark(await text(stdin)) : read(file);
  const task = decode(file ?? "", source);
  const ids = idsOf(words);
  const audience =
    ids && create(AudienceSchema, { source: { case: "pushIds", value: { pushIds: [...ids] } } });
  return {
    ...task,
    channelId: words.channel ?? task.channelId,
    name: words.name || task.name || `push of ${new Date().toISOString().slice(0, 19)}Z`,
    contents: withSetTexts(task.contents, words.set ?? []),
    ...(audience !== undefined && { audience }),
  };
}

function read(file: string): string {
  try {
    // A byte order mark would become part of the first word.
    return withoutTextMark(readFileSync(file, "utf8"));
  } catch (error) {
    throw cannotRead(file, error);
  }
}

function decode(file: string, source: string): Task {
  const name = file === "-" ? "standard input" : JSON.stringify(file);
  let value: unknown;
  try {
    // Dates stay texts in YAML's core schema.
    value = parse(source);
  } catch (error) {
    throw new UserError(`${name} is not YAML: ${firstLine((error as Error).message)}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UserError(`${name} is not a task, which is an object with channel_id, contents and audience`);
  }
  const { json, violations } = readQuery(TaskSchema, withListedIds(withTextValues(value as JsonObject)), "");
  if (violations.length > 0) throw new UserError(`${name}: ${new InvalidFieldsError(violations).message}`);
  try {
    return fromJson(TaskSchema, json);
  } catch (error) {
    throw new UserError(`${name} is not a task: ${reasonOf(json, error)}`, { cause: error });
  }
}

/** Which fields are wrong; the library's own words name none, but know of keys that no field has. */
function reasonOf(json: JsonValue, error: unknown): string {
  try {
    decodeJson(TaskSchema, json);
  } catch (fault) {
    if (fault instanceof ConnectError) return fault.rawMessage;
  }
  return (error as Error).message;
}

/** `push_ids: [ann]` may stand for `push_ids: {push_ids: [ann]}`. */
function withListedIds(task: JsonObject): JsonObject {
  const { audience } = task;
  if (!isObject(audience)) return task;
  const entries = Object.entries(audience).map(([key, value]): [string, JsonValue] =>
    /^push_?ids$/i.test(key) && Array.isArray(value) ? [key, { push_ids: value }] : [key, value],
  );
  return { ...task, audience: Object.fromEntries(entries) };
}

/** `title: Hello` may stand for `title: {text: Hello}` in the contents of a task, and of its A/B groups. */
function withTextValues(task: JsonObject): JsonObject {
  return mapLists(task, {
    contents: withTexts,
    experiment_groups: (group) => mapLists(group, { contents: withTexts }),
    experimentGroups: (group) => mapLists(group, { contents: withTexts }),
  });
}

/** An object whose members of these names, where they are lists of objects, are changed item by item. */
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

function idsOf({ to, toFile }: TaskWords): readonly string[] | undefined {
  if (toFile === undefined) return to;
  const listed = read(toFile).split(/[\r\n]+/);
  return [...(to ?? []), ...listed.filter((id) => id !== "")];
}

function withSetTexts(contents: Task["contents"], set: readonly string[]): Task["contents"] {
  const texts = set.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), { value: { case: "text", value: pair.slice(at + 1) } }] as const;
    throw new UsageError(`--set is ${JSON.stringify(pair)}, give one such as "title=Hello"`);
  });
  const given = Object.fromEntries(texts);
  const known = contents.find(({ language }) => language === "default");
  if (known === undefined)
    return [create(ContentSchema, { language: "default", values: given }), ...contents];
  return contents.map((content) =>
    content === known
      ? create(ContentSchema, { language: "default", values: { ...content.values, ...given } })
      : content,
  );
}
