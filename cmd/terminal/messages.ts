import type { Writable } from "node:stream";
import { type DescMessage, type MessageShape, toJsonString } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { type Output, writeForeign } from "./terminal.ts";

/** Where a command prints messages, and how. */
export interface MessageOutput {
  readonly stdout: Writable;
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

/** Returns a time in UTC, and an empty text for none. */
export function timeOf(time: Timestamp | undefined): string {
  return time === undefined
    ? ""
    : new Date(timestampMs(time)).toISOString().replace("T", " ").replace("Z", "");
}
