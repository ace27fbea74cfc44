import { isUtf8 } from "node:buffer";
import { closeSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { cannotWrite } from "./file-fault.ts";
import { UsageError } from "./user-error.ts";

/** A line or row that made no record, with its file and number. */
export interface Reject {
  readonly file: string;
  /** Counted from 1, in a table after its header; undefined if it is unknown. */
  readonly number: number | undefined;
  /** The unit of `number`. */
  readonly word: "line" | "row";
  readonly reason: string;
  readonly message: string;
  readonly data: string | Uint8Array;
}

export interface Rejects extends Disposable {
  /** @throws UserError when it can't be written */
  add(reject: Reject): void;
}

const maxHeldCharacters = 65_536;

/**
 * Writes refused lines and rows to a file, as NDJSON: `file`, `line` or `row`, `reason`, `message`, and `data` (text)
 * or
 * `data_base64` (bytes that are not UTF-8).
 * @param inputs files that it must not overwrite
 * @throws UserError when it can't be written
 */
export function openRejects(path: string, inputs: readonly string[]): Rejects {
  if (inputs.some((input) => input !== "-" && resolve(input) === resolve(path)))
    throw new UsageError(`--rejects ${JSON.stringify(path)} is one of the files that are read`);
  const handle = attempt(path, () => openSync(path, "w", 0o600));
  let held = "";
  const flush = (): void => {
    const bytes = Buffer.from(held);
    held = "";
    for (let at = 0; at < bytes.length; ) at += attempt(path, () => writeSync(handle, bytes, at));
  };
  return {
    add(reject) {
      held += encodeReject(reject);
      if (held.length > maxHeldCharacters) flush();
    },
    [Symbol.dispose]() {
      try {
        flush();
      } finally {
        closeSync(handle);
      }
    },
  };
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function encodeReject({ file, number, word, reason, message, data }: Reject): string {
  const content =
    typeof data === "string" || isUtf8(data)
      ? { data: typeof data === "string" ? data : Buffer.from(data).toString("utf8") }
      : { data_base64: Buffer.from(data).toString("base64") };
  return `${JSON.stringify({ file, [word]: number, reason, message, ...content })}\n`;
}
