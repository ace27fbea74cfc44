import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../ports.ts";

/** One ClickHouse server of our own on 127.0.0.1, in a temporary folder. */
export interface ClickHouseServer extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly tcpPort: number;
  readonly pid: number;
  /** Ends it like a power cut of the process. */
  kill(): Promise<void>;
  /** Starts it again, on the same ports and folder. */
  start(): Promise<void>;
  /** Runs one statement; returns its result as tab-separated text. */
  query(sql: string): Promise<string>;
}

const starter = join(import.meta.dirname, "starter.py");
const library = join(import.meta.dirname, "node_modules/@chdb/lib-linux-x64-gnu/libchdb.so");
const maxStartMs = 60_000;

/** Whether both ports are open. That of HTTP is opened first, and a fault at the other one ends the server. */
async function isReady(url: string, tcpPort: number): Promise<boolean> {
  const response = await fetch(`${url}/ping`).catch(() => undefined);
  if (response?.ok !== true) return false;
  const socket = connect(tcpPort, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

/**
 * @param settings further arguments of the command line, such as `--config-file FILE`
 * @param parent the folder of its folder
 */
export async function openClickHouse(
  settings: readonly string[] = [],
  parent = tmpdir(),
): Promise<ClickHouseServer> {
  const folder = mkdtempSync(join(parent, "clickhouse-"));
  const [httpPort, tcpPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${httpPort}`;
  const data = join(folder, "data");
  mkdirSync(data);
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    const given = [starter, library, data, String(httpPort), String(tcpPort), ...settings];
    server = spawn("python3", given, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    const errors: string[] = [];
    server.stderr!.setEncoding("utf8").on("data", (text: string) => errors.push(text));
    server.once("exit", (code, signal) => {
      if (signal !== "SIGKILL") console.error(`ClickHouse in ${data} ended: ${code ?? signal}`, ...errors);
    });
    const endMs = performance.now() + maxStartMs;
    while (!(await isReady(url, tcpPort))) {
      const hasEnded = server.exitCode !== null || server.signalCode !== null;
      if (hasEnded || performance.now() > endMs)
        throw new Error(`ClickHouse in ${data} does not start: ${errors.join("")}`);
      await sleep(20);
    }
  };
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    url,
    folder: data,
    tcpPort,
    get pid() {
      return server.pid!;
    },
    start,
    kill,
    async query(sql) {
      const response = await fetch(url, { method: "POST", body: sql });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text.trimEnd();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}
