import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";

/** A server in a process of its own, whose memory can be measured. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/**
 * Starts a script that opens a server and writes `{"url":"..."}` when it listens.
 * @param options JSON, the script's argument
 */
export async function openServerProcess(script: string, options: object): Promise<ServerProcess> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  return {
    url: await urlOf(child),
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exit;
    },
  };
}

/** Reads the URL that a server process, also one of `engage serve`, writes when it listens. */
export async function urlOf(child: ChildProcess): Promise<string> {
  let text = "";
  const listening = Promise.withResolvers<string>();
  child.stdout!.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    const found = /"url":"([^"]+)"/.exec(text)?.[1];
    if (found !== undefined) listening.resolve(found);
  });
  child.once("exit", () => listening.reject(new Error(`the server process ended: ${text}`)));
  return await listening.promise;
}

/** Returns the most memory that a process takes while `work` runs, beyond what it took before, in MiB. */
export async function grownBy(pid: number, work: () => Promise<unknown>): Promise<number> {
  // Resets the peak: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = statusMib(pid, "VmRSS");
  await work();
  return Math.round(statusMib(pid, "VmHWM") - before);
}

function statusMib(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]) / 1_024;
}
