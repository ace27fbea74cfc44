import type { Writable } from "node:stream";
import { type Command, CommanderError } from "commander";
import { errorMessage } from "../base/text/system-error.ts";
import { createProgram } from "./program.ts";
import type { ErrorReport } from "./terminal/error-report.ts";
import { silence } from "./terminal/silence.ts";
import { writeForeign } from "./terminal/terminal.ts";
import { nameKnownWords } from "./terminal/usage-fault.ts";

/** The options of all commands that decide how errors and notes are printed. */
interface Style {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Runs a command and sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  guardOutput(process, process.exit);
  const style = styleOf(argv);
  const program = createProgram(argv[2]);
  prepare(program);
  const speak = style.quiet ? silence(process.stderr) : () => undefined;
  try {
    await program.parseAsync(argv);
  } catch (error) {
    speak();
    process.exitCode = await report(error, style);
  }
}

/** Reads the options before the command line is parsed, since that may fail. */
function styleOf(argv: readonly string[]): Style {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const has = (...names: string[]): boolean => names.some((name) => words.includes(name));
  return { json: has("--json"), quiet: has("-q", "--quiet"), verbose: has("-v", "--verbose") };
}

/** Makes faults of the command line errors that are thrown. */
function prepare(command: Command): void {
  command
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: () => undefined })
    .exitOverride((error) => {
      nameKnownWords(error, command);
      throw error;
    });
  for (const child of command.commands) prepare(child);
}

/** Prints an error and returns the exit code. */
async function report(error: unknown, { json, verbose }: Style): Promise<number> {
  if (error instanceof CommanderError) {
    const code = error.exitCode === 0 ? 0 : 2;
    if (json && code !== 0) print({ code: "usage", message: withoutPrefix(error), exit_code: code });
    else if (!isHelp(error)) writeForeign(process.stderr, `${error.message}\n(see --help)\n`);
    return code;
  }
  const { isExpected, reportOf } = await import("./terminal/error-report.ts");
  const found = reportOf(error);
  if (!isExpected(error) || verbose) console.error(error);
  if (json) print(found);
  else if (isExpected(error)) writeForeign(process.stderr, `engage: ${found.message}\n`);
  return found.exit_code;
}

/** Whether Commander has written all there is to say: the help or the version. */
function isHelp({ exitCode, code }: CommanderError): boolean {
  return exitCode === 0 || code === "commander.help";
}

function withoutPrefix({ message }: CommanderError): string {
  return message.replace(/^error: /, "");
}

function print(error: ErrorReport): void {
  writeForeign(process.stderr, `${JSON.stringify({ error })}\n`);
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
