import type { ServerHttp2Stream } from "node:http2";
import type { ConnectError } from "@connectrpc/connect";
import { answerStalled, bodyTooSlow, tooManyOpenBytes } from "../call/refusals.ts";
import type { GatewayLimits } from "../limits.ts";
import { type Address, type Connection, connectionOf } from "./connections.ts";
import { connectionOfRequest, type NodeRequest, type NodeResponse } from "./http.ts";

/** What takes memory while its caller sends or reads, and can be ended. */
export interface ShareOwner {
  /** Ends the call with this error. */
  cut(reason: ConnectError): void;
}

type ByteLimits = Pick<
  GatewayLimits,
  | "maxMessageBytes"
  | "methods"
  | "openBytes"
  | "openBytesPerAddress"
  | "openBytesPerConnection"
  | "requestTimeoutMs"
  | "minBytesPerSecond"
  | "stallTimeoutMs"
>;

/** Callers get this long before their rate counts. */
const graceMs = 30_000;

/**
 * The memory of bodies that are not complete yet and of large answers that are
 * not read yet, over all connections, with a share for each connection and
 * each address. Where it runs out, the largest of the connection, or of the
 * address, or of the address that holds most, is ended: a caller within its
 * share is never ended because of another address. What takes too long is
 * ended too.
 */
export class OpenBytes {
  readonly #limits: ByteLimits;
  readonly #perConnection: number;
  readonly #perAddress: number;
  readonly #total: number;
  readonly #holds = new Set<ByteShare>();
  #bytes = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
    // A message that is allowed must have room, and then some for others.
    const largest = 1.25 * Math.max(limits.maxMessageBytes, ...Object.values(limits.methods));
    this.#perConnection = Math.max(limits.openBytesPerConnection, largest);
    this.#perAddress = Math.max(limits.openBytesPerAddress, this.#perConnection);
    this.#total = Math.max(limits.openBytes, this.#perAddress);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A body that begins to come. */
  openBody(connection: Connection, holder: ShareOwner): ByteShare {
    connection.startBody();
    return this.#add(new ByteShare(this, connection, holder, true));
  }

  /** An answer of so many bytes that waits for its reader. */
  openResponse(connection: Connection, holder: ShareOwner, bytes: number): ByteShare {
    const countUntilClosed = this.#add(new ByteShare(this, connection, holder, false));
    countUntilClosed.take(bytes);
    return countUntilClosed;
  }

  /** An answer in parts, each of which is taken when it is written and settled when there is room for more. */
  openStream(connection: Connection, holder: ShareOwner): ByteShare {
    const hold = this.#add(new ByteShare(this, connection, holder, false));
    hold.settle();
    return hold;
  }

  #add(hold: ByteShare): ByteShare {
    this.#holds.add(hold);
    return hold;
  }

  /** @internal Called by the hold. */
  changed({ connection, isOpen }: ByteShare, bytes: number): void {
    const { address } = connection;
    connection.bytes += bytes;
    address.bytes += bytes;
    this.#bytes += bytes;
    if (bytes <= 0 || !isOpen) return;
    if (connection.bytes > this.#perConnection) this.#cutLargest((hold) => hold.connection === connection);
    if (!address.isShared && address.bytes > this.#perAddress)
      this.#cutLargest((hold) => hold.connection.address === address);
    if (this.#bytes > this.#total) {
      const greediest = this.#greediest();
      this.#cutLargest((hold) => hold.connection.address === greediest);
    }
  }

  /** @internal Called by the hold. */
  closed(hold: ByteShare): void {
    this.#holds.delete(hold);
    if (hold.isBody) hold.connection.endBody();
  }

  /** Ends what takes too long. */
  sweep(nowMs: number): void {
    for (const hold of this.#holds) {
      const { sinceMs, bytes, isBody } = hold;
      if (sinceMs === undefined) continue;
      const { requestTimeoutMs, minBytesPerSecond, stallTimeoutMs } = this.#limits;
      const waitedMs = nowMs - sinceMs;
      if (isBody) {
        const isSlow =
          waitedMs > graceMs && hold.received < (minBytesPerSecond * (waitedMs - graceMs)) / 1_000;
        if (isSlow || waitedMs > requestTimeoutMs) hold.cut(bodyTooSlow(minBytesPerSecond));
      } else if (waitedMs > stallTimeoutMs + (bytes / minBytesPerSecond) * 1_000) {
        hold.cut(answerStalled());
      }
    }
  }

  #cutLargest(matches: (hold: ByteShare) => boolean): void {
    let largest: ByteShare | undefined;
    for (const hold of this.#holds) {
      if (matches(hold) && (largest === undefined || hold.bytes > largest.bytes)) largest = hold;
    }
    largest?.cut(tooManyOpenBytes());
  }

  #greediest(): Address | undefined {
    let greediest: Address | undefined;
    for (const { connection } of this.#holds) {
      if (greediest === undefined || connection.address.bytes > greediest.bytes)
        greediest = connection.address;
    }
    return greediest;
  }
}

/** The share of one body or answer. */
export class ByteShare {
  readonly connection: Connection;
  readonly isBody: boolean;
  /** Held at present. */
  bytes = 0;
  /** Of the body, since `sinceMs`. */
  received = 0;
  /** `performance.now()` since which it waits for its caller; undefined while it does not. */
  sinceMs: number | undefined = performance.now();
  isOpen = true;
  #isComing = true;
  readonly #all: OpenBytes;
  readonly #holder: ShareOwner;

  constructor(all: OpenBytes, connection: Connection, holder: ShareOwner, isBody: boolean) {
    this.#all = all;
    this.connection = connection;
    this.#holder = holder;
    this.isBody = isBody;
  }

  /** More bytes are held. This, or another, may be cut because of them. */
  take(bytes: number): void {
    if (!this.isOpen) return;
    if (this.#isComing) this.sinceMs ??= performance.now();
    this.bytes += bytes;
    this.received += bytes;
    this.#all.changed(this, bytes);
  }

  /** The body is here, and is inflated. */
  complete(): void {
    this.#isComing = false;
    this.sinceMs = undefined;
  }

  /** What was held is used, and nothing is waited for. */
  settle(): void {
    if (!this.isOpen) return;
    this.#all.changed(this, -this.bytes);
    this.bytes = 0;
    this.received = 0;
    this.sinceMs = undefined;
  }

  /** Gives back what it holds; may be called again. */
  close(): void {
    if (!this.isOpen) return;
    this.settle();
    this.isOpen = false;
    this.#all.closed(this);
  }

  cut(reason: ConnectError): void {
    if (!this.isOpen) return;
    this.close();
    this.#holder.cut(reason);
  }
}

/** Smaller answers are in the buffers of the system, or soon will be. */
const minAnswerBytes = 64 * 1024;

/** Counts a large answer that is being written as long as its caller does not read it. */
export function countResponse(
  openBytes: OpenBytes,
  request: NodeRequest,
  response: NodeResponse,
  bytes: number,
): void {
  if ("stream" in response) countStreamResponse(openBytes, response.stream, bytes);
  else if (bytes >= minAnswerBytes && !response.destroyed) {
    const { socket } = request;
    hold(openBytes, connectionOfRequest(request), response, bytes, () => socket.destroy());
  }
}

/** The same on an HTTP/2 stream. */
export function countStreamResponse(openBytes: OpenBytes, stream: ServerHttp2Stream, bytes: number): void {
  if (bytes < minAnswerBytes || stream.destroyed) return;
  // `close` would wait for what is being written.
  const cut = (): void => void stream.destroy(new Error("the answer is not read"));
  hold(openBytes, connectionOf(stream.session), stream, bytes, cut);
}

function hold(
  openBytes: OpenBytes,
  connection: Connection,
  target: { once(event: "close", listener: () => void): unknown },
  bytes: number,
  cut: () => void,
): void {
  const share = openBytes.openResponse(connection, { cut }, bytes);
  target.once("close", () => share.close());
}
