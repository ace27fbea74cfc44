import type { Writable } from "node:stream";
import { wordError } from "../../base/text/system-error.ts";

/** What shells tell of a program that its pipe has ended: 128 and the number of SIGPIPE. */
const unreadExitCode = 141;

/**
 * Ends the process without a word once the reader of standard output has gone
 * away, as `head` does when it has enough; Node ignores the signal that ends other
 * programs then. What can't be written for another reason, such as a full disk,
 * ends it with 1. Messages that nobody reads are no reason to end.
 */
export function guardOutput(
  { stdout, stderr }: { readonly stdout: Writable; readonly stderr: Writable },
  exit: (code: number) => never,
): void {
  stderr.on("error", () => undefined);
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") exit(unreadExitCode);
    stderr.write(`engage: cannot write standard output: ${wordError(error)}\n`);
    exit(1);
  });
}
