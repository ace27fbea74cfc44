import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { promisify } from "node:util";
import { expect, vi } from "vitest";

/** A program in a README, which is followed by what it prints, or by commands that call it while it runs. */
export interface Example {
  /** The heading above it. */
  readonly title: string;
  readonly code: string;
  /** Commands with their output; none for a program that ends by itself. */
  readonly commands: readonly { readonly command: string; readonly output: string }[];
  /** What the program prints. An ellipsis stands for any text. */
  readonly output: string;
}

/** Reads the examples in a language, each with the blocks that follow it up to the next one. */
export function readExamples(file: string, language: string): readonly Example[] {
  const parts = readFileSync(file, "utf8").split(/^## /m).slice(1);
  return parts.flatMap((part) => {
    const title = part.split("\n", 1)[0] as string;
    const blocks = new Map(
      [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => [kind, text!]),
    );
    const code = blocks.get(language);
    return code === undefined
      ? []
      : [{ title, code, commands: commandsOf(blocks.get("console")), output: blocks.get("text") ?? "" }];
  });
}

function commandsOf(block = ""): Example["commands"] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = "", ...output] = step.split("\n");
      return { command, output: output.join("\n") };
    });
}

/** How an example is run. */
export interface Runner {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Replaces the addresses of the text. */
  readonly place: (text: string) => string;
}

const execute = promisify(execFile);

/** Runs an example, and compares what it and its commands print with what the README shows. */
export async function runExample({ commands, output }: Example, runner: Runner): Promise<void> {
  const { program, args, env } = runner;
  if (commands.length === 0) {
    const { stdout } = await execute(program, args, { env, timeout: 60_000 });
    expect(stdout).toMatch(pattern(output));
    return;
  }
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    await runBeside(child, { commands, output }, runner);
  } finally {
    child.kill("SIGKILL");
    await once(child, "close");
  }
}

async function runBeside(
  child: ChildProcess,
  { commands, output }: Pick<Example, "commands" | "output">,
  { args, env, place }: Runner,
): Promise<void> {
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += String(chunk);
  });
  await listening(portOf(readFileSync(args.at(-1) as string, "utf8")));
  for (const { command, output: shown } of commands) {
    const { stdout } = await execute("bash", ["-c", place(command)], { env, timeout: 60_000 });
    expect(stdout).toMatch(pattern(shown));
  }
  await vi.waitFor(() => expect(printed).toMatch(pattern(output)), { timeout: 20_000 });
}

/** The port that a program listens on. */
function portOf(code: string): number {
  return Number(/127\.0\.0\.1(?::|", )(\d+)/.exec(code)?.[1]);
}

async function listening(port: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.destroy();
    },
    { timeout: 20_000, interval: 50 },
  );
}

function pattern(output: string): RegExp {
  const escaped = output.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^]*?")}$`);
}
