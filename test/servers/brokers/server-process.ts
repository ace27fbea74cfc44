import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../ports.ts";

/** A server program on a port of 127.0.0.1, with a folder for its data that outlasts restarts. */
export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  stop(): Promise<void>;
  start(...more: string[]): Promise<void>;
  /** Stands still, with its connections open. */
  freeze(): void;
}

export async function openServerProcess(
  command: string,
  args: (port: number, folder: string) => readonly string[],
): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), "engage-broker-"));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const ended = child && once(child, "exit");
    child?.kill("SIGKILL");
    child = undefined;
    await ended;
  };
  const start = async (...more: string[]): Promise<void> => {
    child = spawn(command, [...args(port, folder), ...more], { stdio: "ignore" });
    await untilOpen(port);
  };
  await start();
  return {
    port,
    stop,
    start,
    freeze: () => void child?.kill("SIGSTOP"),
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Connects until the server accepts; the test's own timeout ends it. */
async function untilOpen(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  const isOpen = await promise;
  socket.destroy();
  if (!isOpen) await untilOpen(port);
}
