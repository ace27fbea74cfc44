import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { expect, vi } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import type { Step } from "./page.ts";

/** Runs the steps of a page one after the other, in one shell, and compares what they print. */
export interface ExampleShell extends AsyncDisposable {
  /** Writes the file of a step, or runs its command; fails if it prints something else than the page shows. */
  take(step: Step): Promise<void>;
  /** Awaits that the commands which go on beside the others have printed all that the page shows. */
  checkBeside(): Promise<void>;
}

const mark = "--- end of output ---";
const patience = { timeout: 20_000, interval: 50 };

/**
 * Opens a shell. `engage` is the command of this repository in it. The shell and its commands are a group of processes,
 * which ends with it.
 * @param folder where the shell works; a new one by default
 */
export function openShell({ folder }: { readonly folder?: string } = {}): ExampleShell {
  const temporary = mkdtempSync(join(tmpdir(), "engage-examples-"));
  const cwd = folder ?? join(temporary, "work");
  mkdirSync(cwd, { recursive: true });
  const bin = join(temporary, "bin");
  writeEngage(bin);
  const shell = spawn("bash", ["-o", "pipefail"], {
    cwd,
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      PATH: `${bin}:${process.env["PATH"]}`,
      // Profiles of the developer would change what examples call.
      XDG_CONFIG_HOME: join(temporary, "config"),
    },
  });
  // Readers see both streams in one terminal. The shell outlives the signal that ends its group.
  shell.stdin.write("exec 2>&1; trap : TERM\n");
  /** Outputs of commands in the background. */
  const beside: { readonly file: string; readonly output: string }[] = [];

  const run = createRunner(shell);
  const end = (signal: NodeJS.Signals): boolean => process.kill(-(shell.pid as number), signal);
  const begin = async (command: string, output: string): Promise<void> => {
    const file = join(temporary, `beside-${beside.length}`);
    beside.push({ file, output });
    // Redirections of the command itself come later and count.
    await run(`> '${file}' 2>&1 ${command}`);
    const [first = ""] = output.split("\n", 1);
    await vi.waitFor(() => {
      expect(readFileSync(file, "utf8").trim()).toMatch(patternOf(first));
    }, patience);
  };
  return {
    async take(step) {
      if ("file" in step) {
        const path = join(cwd, step.file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, step.content);
        return;
      }
      const { command, output, isBeside } = step;
      if (isBeside) await begin(command, output);
      else expect(await run(command)).toMatch(patternOf(output));
    },
    async checkBeside() {
      for (const { file, output } of beside) {
        await vi.waitFor(
          () => expect(readFileSync(file, "utf8").trim()).toMatch(patternOf(output)),
          patience,
        );
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = once(shell, "exit");
      // A command that never ends.
      const limit = setTimeout(() => end("SIGKILL"), 20_000);
      end("SIGTERM");
      end("SIGCONT");
      shell.stdin.end("wait\n");
      await ended;
      clearTimeout(limit);
      rmSync(temporary, { recursive: true });
    },
  };
}

/** Returns a function that runs a command in a shell and resolves with what it prints. */
function createRunner({
  stdin,
  stdout,
}: ChildProcessByStdio<Writable, Readable, null>): (command: string) => Promise<string> {
  let printed = "";
  let notify = (): void => {};
  stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    notify();
  });
  return async (command) => {
    printed = "";
    stdin.write(`${command}\necho '${mark}'\n`);
    while (!printed.endsWith(`${mark}\n`)) {
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
    return printed.slice(0, -mark.length - 1).trim();
  };
}

/** Writes the command `engage`, which runs the code of this repository. */
function writeEngage(folder: string): void {
  mkdirSync(folder);
  const program = `"${process.execPath}" --require "${packageRoot}/cmd/compile-cache.cjs" "${packageRoot}/cmd/engage.ts"`;
  writeFileSync(join(folder, "engage"), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
}

function patternOf(output: string): RegExp {
  const escaped = output.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^]*?")}$`);
}
