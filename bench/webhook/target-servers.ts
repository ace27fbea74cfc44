import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TargetPorts } from "./targets.ts";

/** Targets in a process of their own: one responds at once and records the ages of messages, one sleeps. */
const sleepMs = 5_000;
let agesMs: number[] = [];

const fast: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const nowMs = performance.timeOrigin + performance.now();
    // The first message represents the call: all were sent together.
    const [, sent] = /"sent":"([\d.]+)"/.exec(Buffer.concat(chunks).toString("latin1")) ?? [];
    agesMs.push(nowMs - Number(sent));
    response.end();
  });
};

const slow: RequestListener = (request, response) => {
  request.resume();
  setTimeout(() => response.end(), sleepMs);
};

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

process.on("message", () => {
  process.send?.(agesMs);
  agesMs = [];
});
process.send?.({ fast: await listen(fast), slow: await listen(slow) } satisfies TargetPorts);
