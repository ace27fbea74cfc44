import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { packageRoot } from "../../base/package/root.ts";
import { folderWith } from "./config/load.ts";

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** File descriptor that becomes standard input; a pipe by default. */
  readonly stdinFd?: number;
  /** File descriptor that becomes standard output; a pipe by default. */
  readonly stdoutFd?: number;
}

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const compileCache = join(packageRoot, "cmd/compile-cache.cjs");

/**
 * Starts `engage` from its source, as `npm start` does, with nothing but the given environment; killed when the test
 * ends.
 */
export function startEngage(
  args: readonly string[],
  { cwd, env, stdinFd, stdoutFd }: RunOptions = {},
): ChildProcess {
  const node = join(packageRoot, "node_modules/.bin/node");
  const child = spawn(
    node,
    ["--v8-pool-size=1", "--require", compileCache, join(packageRoot, "cmd/engage.ts"), ...args],
    {
      cwd: cwd ?? folderWith({}),
      stdio: [stdinFd ?? "pipe", stdoutFd ?? "pipe", "pipe"],
      env: { PATH: process.env["PATH"], ...env },
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs `engage` to its end. */
export async function runEngage(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = startEngage(args, options);
  // A command may end without having read its input.
  child.stdin?.on("error", () => undefined).end(options.input ?? "");
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return { code: await code, stdout, stderr };
}
