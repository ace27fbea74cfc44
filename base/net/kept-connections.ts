import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { Client, type Dispatcher } from "undici";
import {
  type ConnectionOptions,
  IncompleteResponseError,
  type ReceivedResponse,
  UnusualResponseError,
} from "./http-client.ts";
import { loadTls } from "./late-modules.ts";
import { serverName } from "./outbound.ts";
import { BodyReader } from "./response-body.ts";

export interface PostRequest {
  /** All headers, except those of the connection and the length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * Called at most once, when the connection has taken the whole body: then nothing refers to it any more. It is not
   * called if the response ends before that.
   */
  readonly bodyTaken?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** Idle connections are kept this long, or shorter if the server says so. */
const keepAliveMs = 30_000;
/** The time by which the server may close a connection earlier than it says. */
const thresholdMs = 1_000;

/**
 * Posts to one URL over kept HTTP/1.1 connections with undici, which takes a third of the CPU time of `node:http`. It
 * refuses responses of 100 and 101, which `createHttpClient` reads.
 */
export class KeptConnections implements Disposable {
  readonly #options: ConnectionOptions;
  readonly #url: URL;
  readonly #path: string;
  readonly #open = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting: Call[] = [];

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.#path = `${this.#url.pathname}${this.#url.search}`;
  }

  /** @throws OutboundRefusedError, IncompleteResponseError, UnusualResponseError, or the error of the connection */
  post(request: PostRequest): Promise<ReceivedResponse> {
    const call = new Call(request, this.#options.maxResponseBytes);
    this.#waiting.push(call);
    this.#begin();
    return call.promise;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#open) connection.close();
  }

  #begin(): void {
    for (;;) {
      // A call that was aborted while it waited needs no connection.
      while (this.#waiting[0]?.isOver) this.#waiting.shift();
      if (this.#waiting.length === 0) return;
      const connection = this.#idle.pop() ?? this.#add();
      if (connection === undefined) return;
      this.#waiting.shift()!.run(connection, this.#path, (isUsable) => this.#free(connection, isUsable));
    }
  }

  #add(): Connection | undefined {
    if (this.#open.size === this.#options.maxConnections) return undefined;
    const connection = new Connection(this.#url, this.#options);
    this.#open.add(connection);
    return connection;
  }

  #free(connection: Connection, isUsable: boolean): void {
    if (isUsable) {
      this.#idle.push(connection);
      this.#begin();
      return;
    }
    // Not at once, since undici may be reporting what has ended the call.
    queueMicrotask(() => {
      connection.close();
      this.#open.delete(connection);
      this.#begin();
    });
  }
}

/** One connection at a time: undici opens a new one when the server has closed the last one. */
class Connection {
  readonly client: Client;
  #socket: Socket | undefined;

  constructor(url: URL, { outbound, tls }: ConnectionOptions) {
    const isTls = url.protocol === "https:";
    const port = Number(url.port) || (isTls ? 443 : 80);
    // Brackets belong to URLs only.
    const host = url.hostname.replace(/^\[|\]$/g, "");
    this.client = new Client(url.origin, {
      pipelining: 1,
      allowH2: false,
      // Callers limit the time with their signals.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      keepAliveTimeoutThreshold: thresholdMs,
      connect: (_options, callback) => {
        try {
          const place = outbound.connectOptions(host, port);
          this.#socket = isTls
            ? loadTls().connect({ ...serverName(host), ...tls, ...place, ALPNProtocols: ["http/1.1"] })
            : connectPlain(place);
        } catch (error) {
          callback(error as Error, null);
          return;
        }
        awaitConnection(this.#socket, isTls ? "secureConnect" : "connect", callback);
      },
    });
  }

  /** Whether all that was written is in the hands of the system. */
  get hasWrittenAll(): boolean {
    const socket = this.#socket;
    return socket !== undefined && !socket.destroyed && socket.writableLength === 0;
  }

  close(): void {
    // A connection that is being opened is not closed by the client.
    this.#socket?.destroy();
    void this.client.destroy();
  }
}

/** Where connections read before they copy it: Node would allocate as much for each response. */
const readBuffer = Buffer.allocUnsafeSlow(65_536);

function connectPlain(place: TcpNetConnectOpts): Socket {
  const callback = (bytes: number): boolean => socket.push(Buffer.from(readBuffer.subarray(0, bytes)));
  const socket: Socket = connect({ ...place, onread: { buffer: readBuffer, callback } });
  return socket;
}

type Connected = (...args: [Error, null] | [null, Socket]) => void;

function awaitConnection(socket: Socket, event: "connect" | "secureConnect", connected: Connected): void {
  const forget = (): void => {
    socket.off("error", fail).off("close", close).off(event, succeed);
  };
  const fail = (error: Error): void => {
    forget();
    socket.on("error", () => {});
    connected(error, null);
  };
  const close = (): void => fail(resetError());
  const succeed = (): void => {
    forget();
    connected(null, socket);
  };
  socket.setNoDelay(true);
  socket.on("error", fail).on("close", close).on(event, succeed);
}

/** A request and what comes back. */
class Call implements Dispatcher.DispatchHandler {
  readonly #request: PostRequest;
  readonly #maxBytes: number;
  readonly #response = Promise.withResolvers<ReceivedResponse>();
  readonly #abort = (): void => this.#fail(this.#request.signal.reason);
  #connection: Connection | undefined;
  #free: ((isUsable: boolean) => void) | undefined;
  #reader: BodyReader | undefined;
  #isTaken = false;
  #isOver = false;

  constructor(request: PostRequest, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    const { signal } = request;
    signal.addEventListener("abort", this.#abort, { once: true });
    if (signal.aborted) this.#abort();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get promise(): Promise<ReceivedResponse> {
    return this.#response.promise;
  }

  /** @param free called when the call is over, with whether the connection can be used again */
  run(connection: Connection, path: string, free: (isUsable: boolean) => void): void {
    this.#connection = connection;
    this.#free = free;
    const { headers, body } = this.#request;
    try {
      connection.client.dispatch({ method: "POST", path, headers, body }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(): void {}

  onRequestSent(): void {
    this.#takeBody();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ReceivedResponse["headers"],
  ): void {
    if (status < 200) return;
    const encoding = headers["content-encoding"];
    this.#reader = new BodyReader(encoding && String(encoding), this.#maxBytes, (body) => {
      this.#response.resolve({ status, headers, ...body });
      if (!this.#isOver) this.#end(false);
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reader?.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#takeBody();
    this.#end(true);
    this.#reader?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    const cause = toNodeError(error);
    this.#fail(
      this.#reader === undefined ? cause : new IncompleteResponseError(this.#reader.cameBytes, cause),
    );
  }

  /** Most bodies are taken at once, and others while their response is awaited. */
  #takeBody(): void {
    if (this.#isTaken || this.#connection?.hasWrittenAll !== true) return;
    this.#isTaken = true;
    this.#request.bodyTaken?.();
  }

  #fail(error: unknown): void {
    this.#response.reject(error);
    this.#end(false);
  }

  #end(isUsable: boolean): void {
    this.#isOver = true;
    this.#request.signal.removeEventListener("abort", this.#abort);
    this.#free?.(isUsable);
  }
}

function resetError(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

/** Codes of lost connections. */
const resets: ReadonlySet<string> = new Set([
  "UND_ERR_DESTROYED",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_SOCKET",
]);

/** Converts errors of undici to those of `node:http`. */
function toNodeError(error: Error): Error {
  const code = "code" in error ? error.code : undefined;
  if (error.message === "bad response" || error.message === "bad upgrade") {
    return new UnusualResponseError(`server sent a ${error.message}`, { cause: error });
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") return Object.assign(error, { code: "HPE_HEADER_OVERFLOW" });
  const isOfParser = error.name === "HTTPParserError";
  // The parser reports the end of the stream within a chunk too.
  const isCut = (isOfParser && error.message.includes("EOF")) || resets.has(String(code));
  if (isCut) return resetError();
  return isOfParser ? Object.assign(error, { code: "HPE_INVALID" }) : error;
}
