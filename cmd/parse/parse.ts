import { once } from "node:events";
import { createReadStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type ParseStreamOptions, parseStream } from "../../services/parser/file/file.ts";
import type { Formats } from "../../services/parser/formats/formats.ts";
import { type Config, type ConfigOptions, loadConfig } from "../config/config.ts";
import { formatProblems } from "../config/problem.ts";
import { mistakesOf, openCheckedFormats } from "../serve/formats.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { startProgress } from "../terminal/progress.ts";
import { openRejects, type Rejects } from "../terminal/rejects.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { unknownName } from "../terminal/unknown-name.ts";
import { UserError } from "../terminal/user-error.ts";
import { createSummary, type ParseSummary } from "./summary.ts";

export interface ParseCommandOptions {
  /** The name of the format for all lines. Default: their index chooses it. */
  readonly format?: string;
  /** The index of all lines. Default: the name of the file. */
  readonly index?: string;
  readonly strict?: boolean;
  /** The file for lines without a record. */
  readonly rejects?: string;
  /** Prints the summary as JSON. */
  readonly json?: boolean;
  /** The number of bad lines that the summary shows for each reason. */
  readonly examples?: number;
}

export interface ParseStreams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

const stdinName = "-";
const chunkBytes = 262_144;

/**
 * Writes the records of files to stdout and a summary to stderr. A file that cannot be read is reported, and the next
 * one is read, as other commands with several files do.
 * @returns the exit code
 */
export async function runParse(
  configOptions: ConfigOptions,
  files: readonly string[],
  options: ParseCommandOptions,
  streams: ParseStreams,
): Promise<number> {
  if (files.includes(stdinName) && options.index === undefined && options.format === undefined) {
    throw new UserError("standard input has no name to choose a format by: give --index or --format");
  }
  const loaded = loadConfig(configOptions);
  const { config, locate } = loaded;
  const formatFor = chooseFormat(await openCheckedFormats(config, locate), config, options.format);
  const { maxLineBytes } = config.parser;
  for (const mistake of mistakesOf(loaded))
    writeForeign(streams.stderr, `engage: warning: ${formatProblems([mistake]).trim()}\n`);
  const summary = createSummary(options.examples);
  using rejects = options.rejects === undefined ? undefined : openRejects(options.rejects, files);
  const unread = await parseFiles(files, streams, { summary, rejects }, (file) => ({
    index: options.index ?? file.replace(/\.gz$/i, ""),
    formatFor,
    maxLineBytes,
    gzip: "auto",
  }));
  for (const message of unread) writeForeign(streams.stderr, `engage: ${message}\n`);
  writeForeign(streams.stderr, options.json ? `${JSON.stringify(summary.counts())}\n` : summary.text());
  return unread.length > 0 || (options.strict === true && summary.failures() > 0) ? 1 : 0;
}

function chooseFormat(
  { formatFor, formatNamed }: Formats,
  { parser }: Config,
  name: string | undefined,
): ParseStreamOptions["formatFor"] {
  if (name === undefined) return formatFor;
  const format = formatNamed(name);
  if (format !== undefined) return () => format;
  const names = parser.formats.map((one) => one.name);
  throw unknownName("format", name, names);
}

/** Resolves with a message for each file that could not be read to its end. */
async function parseFiles(
  files: readonly string[],
  { stdin, stdout, stderr }: ParseStreams,
  { summary, rejects }: { readonly summary: ParseSummary; readonly rejects: Rejects | undefined },
  optionsFor: (file: string) => ParseStreamOptions,
): Promise<string[]> {
  const unread: string[] = [];
  const progress = startProgress(files, stdout, stderr);
  for (const file of files) {
    const source = file === stdinName ? stdin : createReadStream(file, { highWaterMark: chunkBytes });
    const parsed = parseStream(source, optionsFor(file));
    for (;;) {
      const next = await parsed.next().catch((error: unknown) => error as Error);
      if (next instanceof Error) unread.push(cannotRead(file, next).message);
      if (next instanceof Error || next.done === true) break;
      summary.add(file, next.value);
      for (const { lineNumber, failure, line } of next.value.failures) {
        const { reason, message } = failure;
        rejects?.add({ file, number: lineNumber, word: "line", reason, message, data: line });
      }
      progress.at(file, next.value.bytesRead);
      await writeLines(stdout, next.value.records);
    }
    source.destroy();
  }
  progress.stop();
  return unread;
}

/** Writes lines no faster than they are read. */
async function writeLines(stream: Writable, lines: readonly string[]): Promise<void> {
  if (lines.length > 0 && !writeForeign(stream, `${lines.join("\n")}\n`)) await once(stream, "drain");
}
