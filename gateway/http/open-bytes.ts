import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { ConnectError } from "@connectrpc/connect";
import { LinkedList, ListMember } from "../../base/collections/linked-list.ts";
import { bodyTooSlow, responseStalled, responseTooLarge, tooManyOpenBytes } from "../call/refusals.ts";
import type { GatewayLimits } from "../limits.ts";
import { type Address, type Connection, connectionOf } from "./connections.ts";
import { connectionOfRequest, type NodeRequest, type NodeResponse } from "./http.ts";

/** A call whose bytes take memory while its caller sends or reads. */
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

/** The minimum rate applies after this time. */
const graceMs = 30_000;

/**
 * The memory of incomplete request bodies, of open HTTP/2 calls, of pipelined requests and of large responses that are
 * not read yet, over all connections, with limits for each connection and each address. Beyond a limit, the call that
 * uses most is aborted, or the connection whose open calls or pipelined requests do: of the connection, of the address,
 * or of the address with the most bytes. So a caller within its limit is never aborted because of another address.
 * Bodies and responses that take too long are aborted too.
 */
export class OpenBytes {
  #limits!: ByteLimits;
  #perConnection = 0;
  #perAddress = 0;
  #total = 0;
  readonly #holds = new LinkedList<ByteShare>();
  #bytes = 0;

  constructor(limits: ByteLimits) {
    this.setLimits(limits);
  }

  /** Changes the limits, from the next byte on. */
  setLimits(limits: ByteLimits): void {
    this.#limits = limits;
    // An allowed message must fit, with some room for others.
    const largest = Math.ceil(1.25 * Math.max(limits.maxMessageBytes, ...Object.values(limits.methods)));
    this.#perConnection = Math.max(limits.openBytesPerConnection, largest);
    this.#perAddress = Math.max(limits.openBytesPerAddress, this.#perConnection);
    this.#total = Math.max(limits.openBytes, this.#perAddress);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Starts to count the body of a request. @param sinceMs `performance.now()` when it began */
  openBody(connection: Connection, holder: ShareOwner, sinceMs = performance.now()): ByteShare {
    connection.startBody();
    return this.#add(new ByteShare(this, connection, holder, true, sinceMs));
  }

  /** Throws RESOURCE_EXHAUSTED for a response that would be cut as soon as it begins. */
  checkResponse(bytes: number): void {
    if (bytes > this.#perConnection) throw responseTooLarge(bytes, this.#perConnection);
  }

  /** Counts a response of this size until it is read. */
  openResponse(connection: Connection, holder: ShareOwner, bytes: number): ByteShare {
    const share = this.#add(new ByteShare(this, connection, holder, false, performance.now()));
    share.take(bytes);
    return share;
  }

  /** Starts to count a streamed response: each part from when it is written until the connection takes more. */
  openStream(connection: Connection, holder: ShareOwner): ByteShare {
    const hold = this.#add(new ByteShare(this, connection, holder, false, performance.now()));
    hold.settle();
    return hold;
  }

  /**
   * Counts the open calls, or pipelined requests, of a connection until it closes, without a time limit.
   * @param owner destroyed when they are cut, without an error, since its streams may not listen for one yet
   */
  openRequests(connection: Connection, owner: Socket | ServerHttp2Session): ByteShare {
    const cut = (): void => void owner.destroy();
    const share = this.#add(new ByteShare(this, connection, { cut }, false, performance.now()));
    share.complete();
    owner.once("close", () => share.close());
    return share;
  }

  #add(hold: ByteShare): ByteShare {
    this.#holds.add(hold);
    return hold;
  }

  /** @internal Called by the share. */
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
      const largest = this.#largestAddress();
      this.#cutLargest((hold) => hold.connection.address === largest);
    }
  }

  /** @internal Called by the share. */
  closed(hold: ByteShare): void {
    this.#holds.delete(hold);
    if (hold.isBody) hold.connection.endBody();
  }

  /** Ends bodies and responses that take too long. */
  sweep(nowMs: number): void {
    // A call that is cut may end others.
    for (const hold of [...this.#holds]) {
      const { sinceMs, bytes, isBody } = hold;
      if (sinceMs === undefined) continue;
      const { requestTimeoutMs, minBytesPerSecond, stallTimeoutMs } = this.#limits;
      const waitedMs = nowMs - sinceMs;
      if (isBody) {
        const isSlow =
          waitedMs > graceMs && hold.received < (minBytesPerSecond * (waitedMs - graceMs)) / 1_000;
        if (isSlow || waitedMs > requestTimeoutMs) hold.cut(bodyTooSlow(minBytesPerSecond));
      } else if (waitedMs > stallTimeoutMs + (bytes / minBytesPerSecond) * 1_000) {
        hold.cut(responseStalled());
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

  #largestAddress(): Address | undefined {
    let largest: Address | undefined;
    for (const { connection } of this.#holds) {
      if (largest === undefined || connection.address.bytes > largest.bytes) largest = connection.address;
    }
    return largest;
  }
}

/** The bytes of one request body or response, or of the open calls or pipelined requests of a connection. */
export class ByteShare extends ListMember {
  readonly connection: Connection;
  readonly isBody: boolean;
  /** Bytes that are in memory now. */
  bytes = 0;
  /** Bytes of the body that were received since `sinceMs`. */
  received = 0;
  /** `performance.now()` of when it began to wait for its caller; undefined while it does not wait. */
  sinceMs: number | undefined;
  isOpen = true;
  #isComing = true;
  readonly #all: OpenBytes;
  readonly #holder: ShareOwner;

  constructor(all: OpenBytes, connection: Connection, holder: ShareOwner, isBody: boolean, sinceMs: number) {
    super();
    this.sinceMs = sinceMs;
    this.#all = all;
    this.connection = connection;
    this.#holder = holder;
    this.isBody = isBody;
  }

  /** Adds bytes, which may end this call or another. */
  take(bytes: number): void {
    if (!this.isOpen) return;
    if (this.#isComing) this.sinceMs ??= performance.now();
    this.bytes += bytes;
    this.received += bytes;
    this.#all.changed(this, bytes);
  }

  /** Throws RESOURCE_EXHAUSTED for a part of a response that would be cut as soon as it begins. */
  check(bytes: number): void {
    this.#all.checkResponse(bytes);
  }

  /** Releases some of its bytes. */
  release(bytes: number): void {
    if (!this.isOpen) return;
    this.bytes -= bytes;
    this.#all.changed(this, -bytes);
  }

  /** Ends the wait for the caller. */
  complete(): void {
    this.#isComing = false;
    this.sinceMs = undefined;
  }

  /** Releases all bytes and ends the wait. */
  settle(): void {
    if (!this.isOpen) return;
    this.#all.changed(this, -this.bytes);
    this.bytes = 0;
    this.received = 0;
    this.sinceMs = undefined;
  }

  /** Releases all bytes for good; may be called again. */
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

/** Smaller responses fit the buffers of the operating system. */
export const minCountedBytes = 64 * 1024;

/** Counts a large response until it is read or its connection closes. */
export function countResponse(
  openBytes: OpenBytes,
  request: NodeRequest,
  response: NodeResponse,
  bytes: number,
): void {
  if ("stream" in response) countStreamResponse(openBytes, response.stream, bytes);
  else if (bytes >= minCountedBytes && !response.destroyed) {
    const { socket } = request;
    hold(openBytes, connectionOfRequest(request), response, bytes, () => socket.destroy());
  }
}

/** Does the same for an HTTP/2 stream. */
export function countStreamResponse(openBytes: OpenBytes, stream: ServerHttp2Stream, bytes: number): void {
  if (bytes < minCountedBytes || stream.destroyed) return;
  // `close` would wait for pending writes.
  const cut = (): void => void stream.destroy(new Error("the response is not read"));
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
