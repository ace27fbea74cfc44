import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

export interface Turn {
  readonly port: number;
  readonly connections: number;
  readonly batches: number;
  /** Of each batch. */
  readonly records: number;
}

export interface TurnResult {
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
}

/** The load generator, a process of its own: all batches are made and compressed before it measures. */
process.on("message", async (turn: Turn) => {
  process.send?.(await run(turn));
});

let last = 0;

/** As an SDK has it, about 430 bytes. */
function recordOf(time: string): object {
  const n = ++last;
  return {
    ...{ "#type": "track", "#event_name": n % 3 === 0 ? "purchase" : "view", "#time": time },
    ...{ "#account_id": `user-${n % 50_000}`, "#distinct_id": `device-${n % 50_000}` },
    "#uuid": `${process.pid}-${n}-0b1e-4f5c-9d2a-6f0c2d7e8a91`,
    properties: {
      ...{ "#lib": "node", "#lib_version": "1.5.0", city: `city_${n % 40}`, channel: `channel_${n % 8}` },
      ...{ server: `server_${n % 1_000}`, device: `device_${n % 300}`, level: n % 60, vip: n % 10 === 0 },
      ...{ price: (n % 10_000) / 100, items: [`item_${n % 90}`, `item_${n % 70}`], score: n % 1_000 },
    },
  };
}

function requestOf(records: number): Buffer {
  const time = new Date().toISOString().replace("T", " ").slice(0, -1);
  const list = Array.from({ length: records }, () => recordOf(time));
  const body = gzipSync(JSON.stringify(list));
  const head = [
    "POST /sync_server HTTP/1.1",
    ...["host: 127.0.0.1", "content-type: application/json", "appid: bench", "compress: gzip"],
    `content-length: ${body.length}\r\n\r\n`,
  ];
  return Buffer.concat([Buffer.from(head.join("\r\n")), body]);
}

async function run({ port, connections, batches, records }: Turn): Promise<TurnResult> {
  const requests = Array.from({ length: batches }, () => requestOf(records));
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const send = async (socket: Socket): Promise<void> => {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      const beganMs = performance.now();
      await exchange(socket, request);
      latenciesMs.push(performance.now() - beganMs);
    }
  };
  await Promise.all(sockets.map(send));
  for (const socket of sockets) socket.destroy();
  return { seconds: (performance.now() - startMs) / 1_000, latenciesMs };
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return socket;
}

/** Answers are short: they come in one piece. */
async function exchange(socket: Socket, request: Buffer): Promise<void> {
  socket.write(request);
  const [answer] = (await once(socket, "data")) as [Buffer];
  const text = answer.toString("latin1");
  if (!text.startsWith("HTTP/1.1 200 ") || !text.endsWith('{"code":0}')) throw new Error(text);
}
