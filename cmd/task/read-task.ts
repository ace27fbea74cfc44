import { create } from "@bufbuild/protobuf";
import { AudienceSchema, type Task } from "../../gen/engage/channel/v1/task_pb.ts";
import { withSetTexts } from "../client/set-texts.ts";
import { decodeTask } from "../serve/channel/task-file.ts";
import { readInput, readTextFile } from "../terminal/read-input.ts";

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
  const input = file === undefined ? { name: "the command line", text: "{}" } : await readInput(file, stdin);
  const task = decodeTask(input.name, input.text);
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

function idsOf({ to, toFile }: TaskOptions): readonly string[] | undefined {
  if (toFile === undefined) return to;
  const listed = readTextFile(toFile).split(/[\r\n]+/);
  return [...(to ?? []), ...listed.filter((id) => id !== "")];
}
