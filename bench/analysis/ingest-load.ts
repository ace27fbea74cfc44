import { gzipSync } from "node:zlib";
import { createExchange, httpRequest, runFlatOut, withSockets } from "../harness/connections.ts";
import { sdkRecord } from "./sdk-record.ts";

export interface Turn {
  readonly port: number;
  readonly connections: number;
  readonly batches: number;
  /** Records in a batch. */
  readonly records: number;
}

/** The load generator, in a process of its own: prepares and compresses all batches before it measures. */
process.on("message", async (turn: Turn) => {
  const requests = Array.from({ length: turn.batches }, () => requestOf(turn.records));
  process.send?.(await withSockets(turn, (sockets) => runFlatOut(requests, sockets, exchange)));
});

const exchange = createExchange((response) => response.endsWith('{"code":0}'));

let last = 0;

function recordOf(time: string): object {
  const n = ++last;
  return sdkRecord(n, {
    user: n % 50_000,
    time,
    more: { device: `device_${n % 300}`, score: n % 1_000 },
  });
}

function requestOf(records: number): Buffer {
  const time = new Date().toISOString().replace("T", " ").slice(0, -1);
  const list = Array.from({ length: records }, () => recordOf(time));
  return httpRequest("/sync_server", ["appid: bench", "compress: gzip"], gzipSync(JSON.stringify(list)));
}
