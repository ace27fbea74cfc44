import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** One request as it came. */
export interface SeenRequest {
  readonly path: string;
  readonly search: URLSearchParams;
  readonly contentType: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Exchange {
  readonly seen: SeenRequest;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Zero-based number of the request. */
  readonly index: number;
}

export type Behaviour = (exchange: Exchange) => void | Promise<void>;

/** A fake deployment of the platform over a real socket, with configurable behaviour. */
export interface FakePlatform extends AsyncDisposable {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Connections it has accepted. */
  readonly connections: () => number;
  /** Resolves when an answer's connection was closed by the other end before the answer was finished. */
  readonly abandoned: Promise<void>;
  behave(behaviour: Behaviour): void;
}

/** @param identity certificate and key, in PEM, for a platform at `https:` */
export async function openFakePlatform(
  first: Behaviour = answerJson({}),
  identity?: { readonly cert: string; readonly key: string },
): Promise<FakePlatform> {
  const requests: SeenRequest[] = [];
  const abandoned = Promise.withResolvers<void>();
  let behaviour = first;
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    response.on("close", () => response.writableFinished || abandoned.resolve());
    void read(request).then((seen) => {
      const index = requests.push(seen) - 1;
      return behaviour({ seen, response, socket: request.socket, index });
    });
  };
  const options = { keepAliveTimeout: 60_000 };
  const server =
    identity === undefined
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...identity }, listener);
  server.on("connection", () => {
    connections++;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `${identity === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    abandoned: abandoned.promise,
    behave(next) {
      behaviour = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake");
  const contentType = request.headers["content-type"];
  const body = Buffer.concat(pieces);
  return { path: pathname, search: searchParams, contentType, headers: request.headers, body };
}

/** `data` in the platform's envelope; a text is sent as it is. */
export function answerJson(data: unknown, envelope: object = {}): Behaviour {
  return answerText(
    200,
    "application/json",
    JSON.stringify({ data, return_code: 0, return_message: "success", ...envelope }),
  );
}

export function answerText(status: number, contentType: string, body: string | Buffer): Behaviour {
  return ({ response }) => {
    response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
    response.end(body);
  };
}

/** A body that says that it is encoded so. */
export function answerEncoded(contentType: string, encoding: string, body: Buffer): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": contentType, "content-encoding": encoding }).end(body);
  };
}

/** Responds in chunks, without a length. */
export function answerChunks(contentType: string, chunks: readonly (string | Buffer)[]): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": contentType });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  };
}

/** The beginning of an answer that says it is longer or goes on, then a closed connection. */
export function cutOff(contentType: string, beginning: string, framing: "length" | "chunked"): Behaviour {
  return ({ response, socket }) => {
    const length = framing === "length" ? { "content-length": beginning.length + 1_000 } : {};
    response.writeHead(200, { "content-type": contentType, ...length });
    response.write(beginning, () => socket.end());
  };
}

/** An answer whose end is the end of the connection, as HTTP/1.0 has it. */
export function answerUnmarked(contentType: string, body: string): Behaviour {
  return ({ socket }) => {
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\nconnection: close\r\n\r\n${body}`);
  };
}

/** Raw bytes, then a closed connection. */
export function writeAndReset(bytes: string): Behaviour {
  return ({ socket }) => {
    socket.write(bytes, () => socket.resetAndDestroy());
  };
}

export const closeAtOnce: Behaviour = ({ socket }) => {
  socket.resetAndDestroy();
};

/** Nothing ever comes. */
export const staySilent: Behaviour = () => {};

/** A beginning, then nothing. */
export function stall(contentType: string, beginning: string): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": contentType });
    response.write(beginning);
  };
}

/** A byte now and then, for as long as anybody listens. */
export function drip(contentType: string, everyMs: number): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": contentType });
    response.write("{");
    const timer = setInterval(() => response.write(" "), everyMs);
    response.on("close", () => clearInterval(timer));
  };
}

/** The n-th request gets the n-th behaviour, all further ones the last. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  return (exchange) => behaviours[Math.min(exchange.index, behaviours.length - 1)]!(exchange);
}
