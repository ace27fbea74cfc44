import { createYield } from "../../../base/async/yield.ts";
import { checkLine } from "../../../base/files/line-checksum.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import type { IntakeKeys } from "../../../store/intake/intake.ts";
import { KeyCollector } from "../record/intake-keys.ts";
import type { ShapedLine, ShapedLines } from "../shape/shaped-lines.ts";
import { decodeSpoolLine, type SpoolLine } from "../spool-line.ts";
import type { PrepareTask } from "./prepared.ts";

/** A line of the spool. */
export interface TaskLine {
  /** The offset in the file of the spool. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** What the line holds. `skipped` is a line which the task leaves out. */
  readonly content: SpoolLine | ShapedLine | "damaged" | "skipped";
}

const lf = 0x0a;

/** Reads the lines of a task one by one, until there are enough records. */
export class TaskLines {
  readonly #task: PrepareTask;
  readonly #buffer: Buffer;
  readonly #begun: (offset: number) => void;
  readonly #shaped: ShapedLines | undefined;
  #start = 0;
  #records = 0;
  #count = 0;

  /**
   * @param begun called with the offset of each line before it is read
   * @param shaped reads lines of known shapes
   */
  constructor(task: PrepareTask, begun: (offset: number) => void = () => {}, shaped?: ShapedLines) {
    const { bytes } = task;
    this.#task = task;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#begun = begun;
    this.#shaped = shaped;
  }

  /** The bytes of all lines. */
  get bytes(): Buffer {
    return this.#buffer;
  }

  /** The number of lines that were read. */
  get count(): number {
    return this.#count;
  }

  /** The end of the lines that were read. */
  get end(): SpoolPlace {
    const { number, offset } = this.#task.from;
    return { number, offset: offset + this.#start };
  }

  /** Returns the next line; undefined after the last one. */
  next(): TaskLine | undefined {
    if (this.#start >= this.#buffer.length || this.#records >= this.#task.maxRecords) return undefined;
    const end = this.#buffer.indexOf(lf, this.#start);
    if (end === -1) return undefined;
    const bytes = this.#buffer.subarray(this.#start, end);
    const { offset } = this.end;
    this.#begun(offset);
    const content = this.#read(bytes, offset);
    this.#records += typeof content === "string" ? 1 : content.records.length;
    this.#start = end + 1;
    this.#count++;
    return { offset, bytes, content };
  }

  /** Returns all further lines. The event loop does other work meanwhile. */
  async all(): Promise<readonly TaskLine[]> {
    const yieldToEventLoop = createYield();
    const lines: TaskLine[] = [];
    for (let line = this.next(); line !== undefined; line = this.next()) {
      lines.push(line);
      const yielding = yieldToEventLoop();
      if (yielding !== undefined) await yielding;
    }
    return lines;
  }

  #read(bytes: Buffer, offset: number): TaskLine["content"] {
    const { from, skipped } = this.#task;
    if (skipped.includes(offset)) return "skipped";
    if (checkLine(bytes, { number: from.number, offset }) === "damaged") return "damaged";
    const shaped = this.#shaped?.read(this.#buffer, this.#start, this.#start + bytes.length);
    return shaped ?? decodeSpoolLine(bytes.toString()) ?? "damaged";
  }
}

/** Returns the keys of all records of the projects. The event loop does other work meanwhile. */
export async function keysOf(
  lines: readonly TaskLine[],
  projects: { has(projectId: number): boolean },
): Promise<IntakeKeys> {
  const yieldToEventLoop = createYield();
  const collector = new KeyCollector();
  for (const { content } of lines) {
    const yielding = yieldToEventLoop();
    if (yielding !== undefined) await yielding;
    if (typeof content === "string" || !projects.has(content.projectId)) continue;
    const { projectId } = content;
    if ("shapes" in content) {
      for (const { event, json } of content.records) {
        if (event === undefined) collector.add(projectId, json);
        else collector.addIds(projectId, event);
      }
    } else {
      for (const record of content.records) collector.add(projectId, record);
    }
  }
  return collector.keys;
}
