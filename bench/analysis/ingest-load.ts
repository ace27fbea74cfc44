import { gzipSync } from "node:zlib";
import { createExchange, httpRequest, runFlatOut, withSockets } from "../harness/connections.ts";

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

/** Returns a record as an SDK sends it, about 430 bytes. */
function recordOf(time: string): object {
  const n = ++last;
  return {
    "#type": "track",
    "#event_name": n % 3 === 0 ? "purchase" : "view",
    "#time": time,
    "#account_id": `user-${n % 50_000}`,
    "#distinct_id": `device-${n % 50_000}`,
    "#uuid": `${process.pid}-${n}-0b1e-4f5c-9d2a-6f0c2d7e8a91`,
    properties: {
      "#lib": "node",
      "#lib_version": "1.5.0",
      city: `city_${n % 40}`,
      channel: `channel_${n % 8}`,
      server: `server_${n % 1_000}`,
      device: `device_${n % 300}`,
      level: n % 60,
      vip: n % 10 === 0,
      price: (n % 10_000) / 100,
      items: [`item_${n % 90}`, `item_${n % 70}`],
      score: n % 1_000,
    },
  };
}

function requestOf(records: number): Buffer {
  const time = new Date().toISOString().replace("T", " ").slice(0, -1);
  const list = Array.from({ length: records }, () => recordOf(time));
  return httpRequest("/sync_server", ["appid: bench", "compress: gzip"], gzipSync(JSON.stringify(list)));
}
