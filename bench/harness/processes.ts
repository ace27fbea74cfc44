import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server under test in its own process, so that its CPU time is separate from the load's. */
export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Returns user and system time so far, in seconds. */
  cpuSeconds(): number;
  /** Returns resident memory in MiB. */
  residentMiB(): number;
  /** Returns the seconds that the main thread has run, and that it has waited for a free core. */
  mainThread(): { readonly ran: number; readonly waited: number };
}

const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder for files of a benchmark; it is removed when the process exits. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "engage-bench-"));
  folders.push(folder);
  return folder;
}

/** Returns a free port of loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts `file` with `PORT` and `environment` set, and waits until it accepts connections on the port. */
export async function startServer(
  file: string,
  port: number,
  environment: Record<string, string> = {},
): Promise<Server> {
  const [script = "", ...args] = file.split(" ");
  // As `npm start` and `engage` start it.
  const flags = script.endsWith("cmd/engage.ts") ? ["--v8-pool-size=1"] : [];
  const child = spawn(process.execPath, [...flags, script, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, PORT: String(port), ...environment },
  });
  await waitForPort(port, child);
  const pid = child.pid as number;
  return {
    port,
    pid,
    cpuSeconds: () => readCpuSeconds(pid),
    residentMiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
    mainThread: () => readMainThread(pid),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server on port ${port} exited with ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const outcome = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (outcome) return;
    await sleep(10);
  }
}

/** Fields 14 and 15 of /proc/PID/stat are user and system time in ticks of 10 ms. */
function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The first two numbers of schedstat are the time on a core and the time in the queue for one, in ns. */
function readMainThread(pid: number): { ran: number; waited: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8")
    .split(" ")
    .map((ns) => Number(ns) / 1e9);
  return { ran, waited };
}

const found = new Set<string>();

/** Runs a program, such as the load generators h2load and wrk, and returns its output. */
export async function runTool(command: string, args: readonly string[]): Promise<string> {
  if (!found.has(command) && spawnSync(command, ["--version"]).error !== undefined) {
    throw new Error(`${command} is not installed (Debian: apt-get install nghttp2-client wrk)`);
  }
  found.add(command);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await once(child, "exit");
  return output;
}
