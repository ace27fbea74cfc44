import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../../base/package/root.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";

/** Replicas of one configuration, each with a data folder of its own. */
export interface Replicas extends AsyncDisposable {
  readonly all: readonly Engage[];
  /** The file of the configuration, for other commands. */
  readonly configFile: string;
  /** Runs `engage` with the configuration of the replicas, and returns its output. */
  run(...args: string[]): Promise<string>;
}

const run = promisify(execFile);

/** Migrates the stores by several processes at once, and starts the replicas. */
export async function openReplicas(folder: string, count: number, config: object): Promise<Replicas> {
  const own = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };
  const command = own("command");
  const file = join(command, "engage.json");
  writeFileSync(file, JSON.stringify({ data: command, ...config }));
  const engage = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(
      process.execPath,
      [join(packageRoot, "cmd/engage.ts"), ...args, "--config", file],
      {
        env: { PATH: process.env["PATH"] },
      },
    );
    return stdout;
  };
  await Promise.all([engage("migrate"), engage("migrate")]);
  const all = await Promise.all(
    Array.from({ length: count }, (_, n) => openEngage(own(`replica-${n}`), config)),
  );
  return {
    all,
    configFile: file,
    run: engage,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

/** Posts JSON to a replica. */
export async function post({ port }: Engage, path: string, body: object): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
