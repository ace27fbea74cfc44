import { createHmac } from "node:crypto";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createExchange,
  httpRequest,
  runFlatOut,
  type TurnResult,
  withSockets,
} from "../harness/connections.ts";
import type { Turn } from "./generator.ts";
import { secret } from "./secret.ts";

/** The load generator, in a process of its own: sends signed batches, all prepared before it measures. */
process.on("message", async (turn: Turn) => {
  process.send?.(await run(turn));
});

const idMark = "{request-id}";
const sentMark = "{sent}";
let lastId = 0;

/** Returns a batch as the platform sends it, about 450 bytes an element. */
function templateOf(elements: number): string {
  return JSON.stringify(
    Array.from({ length: elements }, (_, at) => ({
      push_id: `user-${100_000 + at}`,
      params: {
        title: "Your reward is waiting",
        text: `Dear player, chapter ${at} of the summer festival has begun: log in and collect it.`,
        items: [{ name: "gold", count: "500" }],
      },
      custom_params: { server: `s-${at % 40}`, level: String(at % 90), sent: sentMark },
      "#ops_receipt_properties": {
        ops_project_id: 1,
        ops_request_id: idMark,
        ops_task_id: "0101",
        ops_task_instance_id: "0101_20260102",
        ops_task_exec_detail_id: "1212",
        ops_exp_group_id: "2",
        ops_push_language: "en",
      },
    })),
  );
}

function requestOf(template: string, path: string): Buffer {
  const sent = (performance.timeOrigin + performance.now()).toFixed(3);
  const id = `${process.pid}-${++lastId}`;
  const body = Buffer.from(template.replaceAll(idMark, id).replaceAll(sentMark, sent));
  const signature = createHmac("sha1", secret).update(body).digest("hex");
  return httpRequest(path, [`x-svc-ops-signature: ${signature}`], body);
}

const exchange = createExchange((answer) => answer.includes('"return_code":0'));

function run(turn: Turn): Promise<TurnResult> {
  const { elements, path, batches, perSecond } = turn;
  return withSockets(turn, (sockets) => {
    if (perSecond !== undefined) return runPaced({ ...turn, perSecond }, sockets);
    const template = templateOf(elements);
    const requests = Array.from({ length: batches }, () => requestOf(template, path));
    return runFlatOut(requests, sockets, exchange);
  });
}

/** Starts batches at fixed times, without waiting for earlier responses; latencies count from these times. */
async function runPaced(
  { elements, path, batches, perSecond }: Turn & { readonly perSecond: number },
  sockets: readonly Socket[],
): Promise<TurnResult> {
  const template = templateOf(elements);
  const latenciesMs: number[] = [];
  let next = 0;
  const startMs = performance.now();
  const send = async (socket: Socket): Promise<void> => {
    for (let n = next++; n < batches; n = next++) {
      const dueMs = startMs + (n * 1_000) / perSecond;
      await sleep(Math.max(0, dueMs - performance.now()));
      await exchange(socket, requestOf(template, path));
      latenciesMs.push(performance.now() - dueMs);
    }
  };
  await Promise.all(sockets.map(send));
  return { seconds: (performance.now() - startMs) / 1_000, latenciesMs };
}
