import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { create } from "@bufbuild/protobuf";
import { withoutTextMark } from "../../base/text/byte-order-mark.ts";
import { AudienceSchema, ContentSchema, type Task } from "../../gen/engage/channel/v1/task_pb.ts";
import { decodeTask } from "../serve/channel/task-file.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { UsageError } from "../terminal/user-error.ts";

/** The parts of a task on the command line, which override those of the file. */
export interface TaskOptions {
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
  options: TaskOptions,
  stdin: NodeJS.ReadableStream,
): Promise<Task> {
  const source = file === undefined ? "{}" : file === "-" ? withoutTextMark(await text(stdin)) : read(file);
  const task = decodeTask(file === "-" ? "standard input" : JSON.stringify(file ?? ""), source);
  const ids = idsOf(options);
  const audience =
    ids && create(AudienceSchema, { source: { case: "pushIds", value: { pushIds: [...ids] } } });
  return {
    ...task,
    channelId: options.channel ?? task.channelId,
    name: options.name || task.name || `push of ${new Date().toISOString().slice(0, 19)}Z`,
    contents: withSetTexts(task.contents, options.set ?? []),
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

function idsOf({ to, toFile }: TaskOptions): readonly string[] | undefined {
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
