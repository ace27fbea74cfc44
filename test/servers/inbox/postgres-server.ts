import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../ports.ts";

/** A PostgreSQL of our own on 127.0.0.1, in a temporary folder. */
export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Ends it, by default like a power cut: no goodbye, no checkpoint. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, on the same port and folder. */
  start(): Promise<void>;
  /** Runs statements as the superuser. */
  query(sql: string): string;
}

const maxStarts = 100;
const debianFolder = "/usr/lib/postgresql";
const newest = readdirSync(debianFolder).toSorted((a, b) => Number(b) - Number(a))[0];
const bin = (name: string): string => join(debianFolder, `${newest}`, "bin", name);

/** PostgreSQL refuses to run as root. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  const id = (option: string): number =>
    Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return process.getuid?.() === 0 ? { uid: id("-u"), gid: id("-g") } : {};
}

export async function openPostgresServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  chownSync(folder, user.uid ?? -1, user.gid ?? -1);
  const data = join(folder, "data");
  const initialise = ["-D", data, "-U", "engage", "--auth=trust", "-E", "UTF8", "--locale=C", "-N"];
  execFileSync(bin("initdb"), initialise, { ...user, stdio: "pipe", cwd: folder });
  const port = await freePort();
  const url = `postgresql://engage@127.0.0.1:${port}/postgres`;
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    const given = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${folder}`,
      ...settings,
    ];
    const options = given.flatMap((setting) => ["-c", setting]);
    const launch = (): ChildProcess =>
      spawn(bin("postgres"), ["-D", data, ...options], {
        ...user,
        cwd: folder,
        stdio: ["ignore", "ignore", "pipe"],
      });
    // After a kill the server's children take a moment to notice, and it can't start before.
    for (let tries = 1; tries <= maxStarts; tries++) {
      server = launch();
      if (await isReady(server)) return;
      await sleep(100);
    }
    throw new Error(`postgres in ${data} does not start`);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    // A test may have failed while it was killed.
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    get pid() {
      return server.pid!;
    },
    start,
    async kill(signal = "SIGKILL") {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const backends = childrenOf(server.pid!);
      await end(signal);
      // They end by themselves without their parent, but may answer one more statement before.
      for (const pid of backends) killIfAlive(pid);
    },
    query: (sql) =>
      execFileSync(bin("psql"), [url, "-qAtc", sql], { encoding: "utf8", stdio: "pipe" }).trim(),
    async [Symbol.asyncDispose]() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true });
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return pids === "" ? [] : pids.split(" ").map(Number);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** False when it ends instead. */
async function isReady(server: ChildProcess): Promise<boolean> {
  const lines = createInterface({ input: server.stderr! });
  return await new Promise((resolve) => {
    lines.on("line", (line) => line.includes("ready to accept connections") && resolve(true));
    server.once("exit", () => resolve(false));
  });
}
