import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { type ExportOptions, runExport } from "../../../cmd/export/export.ts";
import { runImport } from "../../../cmd/import/import.ts";
import type { ImportOptions } from "../../../cmd/import/target.ts";
import { folderWith } from "../config/load.ts";
import { recordTime, settingsOf } from "../event-server.ts";

/** A working folder, and a data folder. */
export interface Place {
  readonly cwd: string;
  readonly data: string;
}

export function openPlace(files: Readonly<Record<string, string>> = {}): Place {
  const data = folderWith({});
  return { data, cwd: folderWith({ ...files, "engage.yaml": settingsOf(data) }) };
}

/** Runs a command. Returns its output and its exit code. */
export async function run(
  work: (streams: { stdin: Readable; stdout: PassThrough; stderr: PassThrough }) => Promise<unknown>,
  input = "",
) {
  const streams = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const output = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const code = await work(streams);
  streams.stdout.end();
  streams.stderr.end();
  const [out, err] = await output;
  return { code, out, err };
}

/** The day of the records that have the current time. */
export const day = recordTime().slice(0, 10);

export const signal = new AbortController().signal;

export const importFiles = (
  { cwd }: Place,
  files: readonly string[],
  options: ImportOptions = {},
  input?: string,
) =>
  run((streams) => {
    const paths = files.map((file) => (file === "-" ? file : join(cwd, file)));
    return runImport({ env: {}, cwd }, paths, options, streams, signal);
  }, input);

export async function exported(
  { cwd }: Place,
  options: ExportOptions = {},
): Promise<Record<string, unknown>[]> {
  const { out } = await run((streams) => runExport({ env: {}, cwd }, "-", options, streams, signal));
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export const lines = (...records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
