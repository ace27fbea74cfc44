import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Forwards connections to a server, with the faults of a network. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** How long bytes take in each direction, in milliseconds. Default 0. */
  delayMs: number;
  /**
   * Whether each HTTP request is sent a second time over a new connection, after its response and before
   * the next request of its connection. The second response is dropped. Default false.
   */
  isDuplicating: boolean;
  /** The number of requests whose second response has come, by the first word of the statement. */
  readonly duplicated: ReadonlyMap<string, number>;
  /** Ends all connections. */
  cut(): void;
  /** Resolves with the next connection. */
  connected(): Promise<void>;
}

export async function openFaultProxy(serverUrl: string): Promise<FaultProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const duplicated = new Map<string, number>();
  let next = Promise.withResolvers<void>();
  const add = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  const reach = (): Socket => add(connect(Number(target.port), target.hostname));
  const repeat = async (request: Buffer): Promise<void> => {
    const statement = /(?:query=|\r\n\r\n)\s*([A-Z]+)/.exec(decodeURIComponent(headOf(request)))?.[1] ?? "";
    const socket = reach();
    const ended = Promise.withResolvers<void>();
    socket.once("close", ended.resolve);
    socket.once("data", () => {
      duplicated.set(statement, (duplicated.get(statement) ?? 0) + 1);
      socket.destroy();
    });
    socket.write(request);
    await ended.promise;
  };
  const proxy = createServer((client) => {
    add(client);
    next.resolve();
    next = Promise.withResolvers();
    const server = reach();
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on("close", () => other.destroy());
    const requests = createRequests(async (request) => {
      if (self.isDuplicating) await repeat(request);
    });
    forward(client, server, () => self.delayMs, requests.sent);
    forward(server, client, () => self.delayMs, requests.answered);
    client.on("close", requests.ended);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = new URL(serverUrl);
  url.port = `${(proxy.address() as AddressInfo).port}`;
  const self: FaultProxy = {
    url: serverUrl.endsWith("/") ? url.href : url.href.replace(/\/$/, ""),
    delayMs: 0,
    isDuplicating: false,
    duplicated,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    connected: () => next.promise,
    async [Symbol.asyncDispose]() {
      proxy.close();
      self.cut();
    },
  };
  return self;
}

/** Forwards bytes in their order. */
function forward(
  from: Socket,
  to: Socket,
  delayMs: () => number,
  seen: (bytes: Buffer) => Promise<void> | undefined,
): void {
  let last: Promise<unknown> = Promise.resolve();
  from.on("data", (bytes: Buffer) => {
    const waitMs = delayMs();
    const arrived = Promise.all([last, seen(bytes), waitMs > 0 ? sleep(waitMs) : undefined]);
    last = arrived.then(() => to.writable && to.write(bytes));
  });
}

/** Divides the bytes of a connection into requests: each begins after a response to the one before. */
function createRequests(complete: (request: Buffer) => Promise<void>) {
  let parts: Buffer[] = [];
  let isAnswered = false;
  const end = (): Promise<void> | undefined => {
    const request = isAnswered && parts.length > 0 ? Buffer.concat(parts) : undefined;
    parts = [];
    isAnswered = false;
    return request && complete(request);
  };
  return {
    sent(bytes: Buffer): Promise<void> | undefined {
      const repeated = isAnswered ? end() : undefined;
      parts.push(bytes);
      return repeated;
    },
    answered(): undefined {
      isAnswered = true;
    },
    ended: end,
  };
}

const headBytes = 2_000;

/** The start of a request, without what cannot be decoded. */
function headOf(request: Buffer): string {
  return request.toString("latin1", 0, headBytes).replaceAll(/%(?![0-9A-Fa-f]{2})|%[89A-Fa-f]./g, "");
}
