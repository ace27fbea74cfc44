import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as retryInterval } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { folderWith } from "../cmd/config/load.ts";
import { startEngage } from "../cmd/run-engage.ts";
import { freePort } from "../servers/ports.ts";
import { ParserClient } from "./parser-client.ts";

const yaml = "parser: { separator: ':ta:', formats: [{ name: all, index: '*', type: pass_through }] }";
const line = '{"#type":"track"}';
const content = `a|ta|${line}:ta:a|ta|${line}`;
const answer = `${line}:ta:${line}`;

async function serveOn(port: number): Promise<ChildProcess> {
  const env = { ENGAGE_LISTEN: `127.0.0.1:${port}`, ENGAGE_LOG_ACCESS: "false" };
  const child = startEngage(["serve"], { cwd: folderWith({ "engage.yaml": yaml }), env });
  child.stderr!.resume();
  await once(child.stdout!, "data");
  child.stdout!.resume();
  return child;
}

/** Makes calls one after another until it is stopped. */
interface Load {
  readonly done: number;
  readonly failures: readonly unknown[];
  stop(): Promise<void>;
}

function startLoad(loops: number, call: () => Promise<string>): Load {
  const failures: unknown[] = [];
  const load = { done: 0, failures, stop };
  let isStopping = false;
  const loop = async (): Promise<void> => {
    while (!isStopping) {
      const outcome = await call().catch((error: unknown) => error);
      load.done++;
      if (outcome !== answer) failures.push(outcome);
    }
  };
  const running = Promise.all(Array.from({ length: loops }, loop));
  async function stop(): Promise<void> {
    isStopping = true;
    await running;
  }
  return load;
}

/** Posts again while no server listens; any other failure counts. */
async function postJson(port: number): Promise<string> {
  const body = JSON.stringify({ content: Buffer.from(content).toString("base64") });
  const headers = { "content-type": "application/json" };
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/proto.Parser/Parse`, {
      method: "POST",
      headers,
      body,
    }).catch((error: Error) => error);
    if (response instanceof Response) {
      return Buffer.from(((await response.json()) as { content: string }).content, "base64").toString();
    }
    if ((response.cause as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw response;
    await retryInterval(20);
  }
}

test("a restart under load fails no call", async () => {
  const port = await freePort();
  const first = await serveOn(port);
  using grpc = new ParserClient(port);
  const loads = [
    startLoad(4, async () => (await grpc.parse(content)).toString()),
    startLoad(4, () => postJson(port)),
  ];
  const moreCalls = async (): Promise<void> => {
    const before = loads.map(({ done }) => done);
    await vi.waitFor(
      () => {
        for (const [i, { done }] of loads.entries()) expect(done).toBeGreaterThan(before[i]! + 100);
      },
      { timeout: 20_000, interval: 10 },
    );
  };
  await moreCalls();
  first.kill("SIGTERM");
  expect(await once(first, "exit")).toEqual([0, null]);
  const second = await serveOn(port);
  await moreCalls();
  await Promise.all(loads.map((load) => load.stop()));
  expect(loads.flatMap(({ failures }) => failures)).toEqual([]);
  second.kill("SIGTERM");
  expect(await once(second, "exit")).toEqual([0, null]);
}, 60_000);
