import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { isSilent } from "./silence.ts";
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
 * @throws UsageError when the user can't be asked: standard input is no terminal, or notes are not printed
 */
export async function confirm(
  what: string,
  yes: boolean | undefined,
  { stdin, stderr }: ConfirmStreams,
): Promise<boolean> {
  if (yes) return true;
  if (isSilent(stderr)) throw new UsageError(`add --yes to ${what}: --quiet prints no question`);
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
