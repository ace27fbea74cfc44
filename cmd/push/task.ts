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

/** The parts of a task on the command line, which override those of the file. */
export interface TaskWords {
  readonly channel?: string;
  readonly name?: string;
  /** Push ids. */
  readonly to?: readonly string[];
  /** File with one push id per line. */
  readonly toFile?: string;
  /** `field=text` of the default content. */
  readonly set?: readonly string[];
}

/**
 * Reads the task of a file (`-` for standard input) and of the command line. The file is an
 * `engage.channel.v1.Task` in YAML or JSON, whose filters may use the platform's words.
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
    return withoutTextMark(readFileSync(file, "utf8"));
  } catch (error) {
    throw cannotRead(file, error);
  }
}

function decode(file: string, source: string): Task {
  const name = file === "-" ? "standard input" : JSON.stringify(file);
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

function idsOf({ to, toFile }: TaskWords): readonly string[] | undefined {
  if (toFile === undefined) return to;
  const listed = read(toFile).split(/[\r\n]+/);
  return [...(to ?? []), ...listed.filter((id) => id !== "")];
}

function withSetTexts(contents: Task["contents"], set: readonly string[]): Task["contents"] {
  const texts = set.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), { value: { case: "text", value: pair.slice(at + 1) } }] as const;
    throw new UsageError(`--set is ${JSON.stringify(pair)}, must be a pair such as "title=Hello"`);
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
