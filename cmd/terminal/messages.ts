import type { Writable } from "node:stream";
import { type DescMessage, type MessageShape, toJsonString } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Rows } from "../client/collect-rows.ts";
import { type Column, formatTable, printable } from "./table.ts";
import { type Output, writeForeign } from "./terminal.ts";

/** Where a command prints messages, and how. */
export interface MessageOutput {
  readonly stdout: Writable;
  readonly stderr: Output;
  /** Prints one JSON object per line instead of tables. */
  readonly json?: boolean | undefined;
}

/** Prints one JSON object per line. */
export function writeJson<D extends DescMessage>(
  stdout: Output,
  schema: D,
  messages: readonly MessageShape<D>[],
): void {
  for (const message of messages)
    writeForeign(stdout, `${toJsonString(schema, message, { alwaysEmitImplicit: true })}\n`);
}

/** How the rows of a list are printed. */
export interface RowStyle<D extends DescMessage> {
  readonly schema: D;
  readonly columns: readonly Column<MessageShape<D>>[];
  /** Printed instead of an empty table. */
  readonly none: string;
}

/** Prints the first rows of a list as a table or as JSON, and says on standard error when there are more. */
export function writeRows<D extends DescMessage>(
  { stdout, stderr, json }: MessageOutput,
  { schema, columns, none }: RowStyle<D>,
  { rows, hasMore }: Rows<MessageShape<D>>,
): void {
  if (json) writeJson(stdout, schema, rows);
  else stdout.write(rows.length === 0 ? `${none}\n` : formatTable(columns, rows));
  if (hasMore) stderr.write(`the first ${rows.length} are shown, a larger --limit shows what follows\n`);
}

/** Prints warnings of a server, one per line. */
export function writeWarnings(stderr: Output, warnings: readonly string[]): void {
  for (const warning of warnings) stderr.write(`warning: ${printable(warning)}\n`);
}

/** Returns a time in UTC, and an empty text for none. */
export function timeOf(time: Timestamp | undefined): string {
  return time === undefined
    ? ""
    : new Date(timestampMs(time)).toISOString().replace("T", " ").replace("Z", "");
}
