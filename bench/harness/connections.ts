import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** The latencies of requests, which were sent one after another on each connection. */
export interface TurnResult {
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
}

/** Sends a request and reads its response. */
export type Exchange = (socket: Socket, request: Buffer) => Promise<void>;

/** Opens connections, runs the work with them, and closes them. */
export async function withSockets<T>(
  { port, connections }: { readonly port: number; readonly connections: number },
  work: (sockets: readonly Socket[]) => Promise<T>,
): Promise<T> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)));
  try {
    return await work(sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return socket;
}

/** Responses are short and arrive in one piece. @param isGood checks the whole response */
export function createExchange(isGood: (answer: string) => boolean): Exchange {
  return async (socket, request) => {
    socket.write(request);
    const [answer] = (await once(socket, "data")) as [Buffer];
    const text = answer.toString("latin1");
    if (!text.startsWith("HTTP/1.1 200 ") || !isGood(text)) throw new Error(text);
  };
}

/** Sends prepared requests, so that only the server is measured. */
export async function runFlatOut(
  requests: readonly Buffer[],
  sockets: readonly Socket[],
  exchange: Exchange,
): Promise<TurnResult> {
  const latenciesMs: number[] = [];
  let next = 0;
  const startMs = performance.now();
  const send = async (socket: Socket): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const beganMs = performance.now();
      await exchange(socket, request);
      latenciesMs.push(performance.now() - beganMs);
    }
  };
  await Promise.all(sockets.map(send));
  return { seconds: (performance.now() - startMs) / 1_000, latenciesMs };
}

/** Returns the bytes of a request. @param lines further header lines */
export function httpRequest(path: string, lines: readonly string[], body: Buffer): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    ...lines,
    `content-length: ${body.length}`,
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(head.join("\r\n")), body]);
}
