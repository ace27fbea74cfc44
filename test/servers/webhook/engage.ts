import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { packageRoot } from "../../../base/package/root.ts";

/** `engage serve` in a process of its own, that can be ended in any way and started again on its port. */
export interface Engage extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** The log lines of all its processes. */
  readonly log: readonly LogLine[];
  /** Resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Ends by itself. */
  ended(): Promise<void>;
  start(options?: StartOptions): Promise<void>;
  /** Sends a signal that doesn't end it. */
  signal(signal: NodeJS.Signals): void;
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface StartOptions extends SpawnOptions {
  /** The command instead of `engage serve`. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The command, for programs that start it. */
export const serveCommand: readonly string[] = [
  process.execPath,
  join(packageRoot, "cmd/engage.ts"),
  "serve",
  "--config",
];

/**
 * Writes `config` to a file in `folder`, which is the data folder too, and starts the service.
 * @param config engage.yaml as an object
 */
export async function openEngage(
  folder: string,
  config: object,
  options: StartOptions = {},
): Promise<Engage> {
  const file = join(folder, "engage.json");
  const log: LogLine[] = [];
  let port = 0;
  let child: ChildProcess | undefined;
  let exit: Promise<unknown> = Promise.resolve();

  async function start({ command = serveCommand, env, ...spawning }: StartOptions = options): Promise<void> {
    writeFileSync(file, JSON.stringify({ listen: `127.0.0.1:${port}`, data: folder, ...config }));
    const [program = "", ...args] = command;
    child = spawn(program, [...args, file], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env["PATH"], ...env },
      ...spawning,
    });
    exit = once(child, "close");
    port = await portOf(child, log);
  }

  await start();
  return {
    get port() {
      return port;
    },
    get pid() {
      return child!.pid!;
    },
    log,
    start,
    ended: async () => void (await exit),
    signal: (signal) => void child!.kill(signal),
    async kill(signal = "SIGKILL") {
      child!.kill(signal);
      await exit;
    },
    async [Symbol.asyncDispose]() {
      child!.kill("SIGKILL");
      await exit;
    },
  };
}

/** Reads the log for as long as the process lives; resolves as soon as it says that it listens. */
async function portOf(child: ChildProcess, log: LogLine[]): Promise<number> {
  const listening = Promise.withResolvers<number>();
  const lines = createInterface({ input: child.stdout! });
  lines.on("line", (text) => {
    const line = JSON.parse(text) as LogLine;
    log.push(line);
    if (line.msg === "listening") listening.resolve(Number(new URL(String(line["url"])).port));
  });
  lines.once("close", () => listening.reject(new Error(`engage ended: ${JSON.stringify(log.slice(-5))}`)));
  return await listening.promise;
}
