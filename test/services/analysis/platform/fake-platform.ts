import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** One request as received. */
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
  /** The zero-based number of the request. */
  readonly index: number;
}

export type Behaviour = (exchange: Exchange) => void | Promise<void>;

/** A fake deployment of the platform over a real socket, with configurable behaviour. */
export interface FakePlatform extends AsyncDisposable {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Returns the number of accepted connections. */
  readonly connections: () => number;
  /** Resolves when a client has closed the connection before the end of the response. */
  readonly abandoned: Promise<void>;
  behave(behaviour: Behaviour): void;
}

/** @param identity the certificate and key, in PEM, for a platform at `https:` */
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

/** Responds with `data` in the platform's envelope. A string is sent as it is. */
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

/** Responds with a body and the name of its content encoding. */
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

/** Sends the beginning of a response that announces more, then closes the connection. */
export function cutOff(contentType: string, beginning: string, framing: "length" | "chunked"): Behaviour {
  return ({ response, socket }) => {
    const length = framing === "length" ? { "content-length": beginning.length + 1_000 } : {};
    response.writeHead(200, { "content-type": contentType, ...length });
    response.write(beginning, () => socket.end());
  };
}

/** Responds with a body that ends when the connection is closed, as in HTTP/1.0. */
export function answerUnmarked(contentType: string, body: string): Behaviour {
  return ({ socket }) => {
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\nconnection: close\r\n\r\n${body}`);
  };
}

/** Writes raw bytes, then closes the connection. */
export function writeAndReset(bytes: string): Behaviour {
  return ({ socket }) => {
    socket.write(bytes, () => socket.resetAndDestroy());
  };
}

export const closeAtOnce: Behaviour = ({ socket }) => {
  socket.resetAndDestroy();
};

/** Sends nothing. */
export const staySilent: Behaviour = () => {};

/** Sends the beginning of a response, then nothing. */
export function stall(contentType: string, beginning: string): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": contentType });
    response.write(beginning);
  };
}

/** Sends a byte at a time until the connection is closed. */
export function drip(contentType: string, everyMs: number): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": contentType });
    response.write("{");
    const timer = setInterval(() => response.write(" "), everyMs);
    response.on("close", () => clearInterval(timer));
  };
}

/** Uses the n-th behaviour for the n-th request, and the last one for all further requests. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  return (exchange) => behaviours[Math.min(exchange.index, behaviours.length - 1)]!(exchange);
}
