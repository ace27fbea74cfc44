import type { Writable } from "node:stream";
import { CommanderError } from "commander";
import { errorMessage } from "../base/text/system-error.ts";
import { ConfigError } from "./config/problem.ts";
import { createProgram } from "./program.ts";
import { writeForeign } from "./terminal/terminal.ts";
import { UserError } from "./terminal/user-error.ts";

/** Runs a command and sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  guardOutput(process, process.exit);
  const program = createProgram();
  for (const one of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    one.exitOverride().showHelpAfterError("(see --help)");
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  // Commander has written its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (isExpected(error)) writeForeign(process.stderr, `engage: ${wordExpected(error)}\n`);
  else console.error(error);
  return error instanceof UserError ? error.exitCode : 1;
}

/** Reports whether an error is a fault of the user or the system, such as a port in use, which is shown without a stack. */
function isExpected(error: unknown): error is Error {
  if (error instanceof UserError || error instanceof ConfigError) return true;
  return error instanceof Error && "syscall" in error;
}

/** Our own messages may have several lines. Errors of the system are described in words. */
function wordExpected(error: Error): string {
  return error instanceof UserError || error instanceof ConfigError ? error.message : errorMessage(error);
}

/** The exit code that shells use for a closed pipe: 128 plus the number of SIGPIPE. */
const unreadExitCode = 141;

/**
 * Exits silently when the reader of standard output is closed, as by `head`, since
 * Node ignores the signal that ends other programs. Exits with 1 when standard
 * output cannot be written for another reason, such as a full disk. A closed
 * standard error is ignored.
 */
function guardOutput(
  { stdout, stderr }: { readonly stdout: Writable; readonly stderr: Writable },
  exit: (code: number) => never,
): void {
  stderr.on("error", () => undefined);
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") exit(unreadExitCode);
    stderr.write(`engage: cannot write standard output: ${errorMessage(error)}\n`);
    exit(1);
  });
}
