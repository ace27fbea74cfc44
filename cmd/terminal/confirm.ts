import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import type { Output } from "./terminal.ts";
import { writeForeign } from "./terminal.ts";
import { UsageError } from "./user-error.ts";

export interface ConfirmStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Output;
}

/**
 * Asks whether to do what cannot be undone, and returns the response; `yes` stands for a question that was answered on
 * the command line.
 * @param what such as `delete channel c1`
 * @throws UsageError when nobody can be asked, since standard input is no terminal
 */
export async function confirm(
  what: string,
  yes: boolean | undefined,
  { stdin, stderr }: ConfirmStreams,
): Promise<boolean> {
  if (yes) return true;
  if (stdin.isTTY !== true) throw new UsageError(`add --yes to ${what}: standard input is no terminal`);
  writeForeign(stderr, `${what}? [y/N] `);
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
