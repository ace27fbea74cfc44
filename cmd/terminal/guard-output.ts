import type { Writable } from "node:stream";
import { wordError } from "../../base/text/system-error.ts";

/** The exit code that shells use for a closed pipe: 128 plus the number of SIGPIPE. */
const unreadExitCode = 141;

/**
 * Exits silently when the reader of standard output is closed, as by `head`, since
 * Node ignores the signal that ends other programs. Exits with 1 when standard
 * output cannot be written for another reason, such as a full disk. A closed
 * standard error is ignored.
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
