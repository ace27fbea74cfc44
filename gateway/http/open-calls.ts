import type { ServerResponse } from "node:http";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { loadHttp2 } from "../../base/net/late-modules.ts";
import { tooManyStreams } from "../call/refusals.ts";
import type { GatewayLimits } from "../limits.ts";
import { notifyClosed, watchClose } from "./close-listener.ts";
import { type Address, type Connection, connectionOf } from "./connections.ts";
import type { FairWorkQueue } from "./fair-work-queue.ts";
import { headBytesOf } from "./head-bytes.ts";
import type { ByteShare, OpenBytes } from "./open-bytes.ts";

/**
 * Counts a call on an HTTP/1.1 connection until its response is closed, when
 * `endHttp1Call` has to be called. Returns how many the connection has.
 */
export function startHttp1Call({ req }: ServerResponse): number {
  const connection = connectionOf(req.socket);
  connection.startCall();
  return connection.calls;
}

export function endHttp1Call({ req }: ServerResponse): void {
  connectionOf(req.socket).endCall();
}

/** A connection that asks for further streams after this many refusals is closed: each costs some work. */
const maxRefusedStreams = 100;

/** The memory of an HTTP/2 stream beside that of its request. */
const streamBytes = 6_000;

export interface CallLimits {
  /** Open calls of one address. */
  readonly maxPerAddress: number;
  readonly openBytes: OpenBytes;
}

/**
 * Counts a call on an HTTP/2 stream, and its memory without the body, until it is closed. Refuses the stream and
 * returns false if its address has too many calls, or its connection continues after many refusals. Clients may send it
 * again later. If calls take too much memory, the connection whose calls take most is closed.
 */
export function startHttp2Call(
  stream: ServerHttp2Stream,
  rawHeaders: readonly string[],
  { maxPerAddress, openBytes }: CallLimits,
): boolean {
  const session = stream.session as CountedSession | undefined;
  const connection = connectionOf(session);
  const { address } = connection;
  const isInsistent = connection.refusedStreams >= maxRefusedStreams;
  if (isInsistent || (!address.isShared && address.calls >= maxPerAddress)) {
    stream.on("error", ignore);
    stream.close(loadHttp2().constants.NGHTTP2_REFUSED_STREAM);
    // Its open calls finish: ENHANCE_YOUR_CALM would make clients abort them.
    if (isInsistent && session?.closed === false) session.close();
    return false;
  }
  connection.startCall();
  const counted: Counted = stream;
  counted[kConnection] = connection;
  watchClose(stream);
  stream.on("close", onStreamClose);
  if (session !== undefined) {
    session[kShare] ??= openBytes.openRequests(connection, session);
    counted[kShare] = session[kShare];
    counted[kBytes] = streamBytes + headBytesOf(rawHeaders);
    session[kShare].take(counted[kBytes]);
  }
  return !stream.destroyed;
}

const kConnection = Symbol("connection of a call");
const kShare = Symbol("memory of open calls");
const kBytes = Symbol("bytes of a call");

type CountedSession = ServerHttp2Session & { [kShare]?: ByteShare };
type Counted = ServerHttp2Stream & {
  [kConnection]?: Connection;
  /** That of its session. */
  [kShare]?: ByteShare;
  [kBytes]?: number;
};

/** Shared by all streams, as a closed stream has no session. */
function onStreamClose(this: Counted): void {
  this[kConnection]?.endCall();
  this[kShare]?.release(this[kBytes] ?? 0);
  notifyClosed(this);
}

function ignore(): void {}

/** Starts work on a stream, in a later iteration of the event loop if many have started in this one. */
export function startFairly(
  queue: FairWorkQueue<Address>,
  stream: ServerHttp2Stream,
  work: () => void,
): void {
  if (queue.admits()) work();
  else startLater(queue, stream, work);
}

/** Starts work on a stream that its queue does not admit yet. */
export function startLater(queue: FairWorkQueue<Address>, stream: ServerHttp2Stream, work: () => void): void {
  stream.on("error", ignore);
  queue.add(connectionOf(stream.session).address, () => {
    if (!stream.destroyed) work();
  });
}

type StreamLimits = Pick<GatewayLimits, "openStreamsPerConnection" | "openStreamsPerAddress">;

/**
 * Counts a streaming call of a caller without a key, which may be open for
 * ever. What it returns counts it no more. @throws ConnectError RESOURCE_EXHAUSTED
 */
export function enterStream(connection: Connection, limits: StreamLimits): () => void {
  const limit = refuseStream(connection, limits);
  if (limit !== undefined) throw tooManyStreams(limit.max, limit.of);
  const { address } = connection;
  connection.refusedStreams = 0;
  connection.openStreams++;
  address.openStreams++;
  return () => {
    connection.openStreams--;
    address.openStreams--;
  };
}

/** A limit on open streams that is reached. */
export interface ReachedLimit {
  readonly max: number;
  readonly of: "connection" | "address";
}

/** Returns the limit that one call more would exceed, and counts the call as refused; undefined within the limits. */
export function refuseStream(connection: Connection, limits: StreamLimits): ReachedLimit | undefined {
  const { address } = connection;
  const { openStreamsPerConnection, openStreamsPerAddress } = limits;
  const limit: ReachedLimit | undefined =
    connection.openStreams >= openStreamsPerConnection
      ? { max: openStreamsPerConnection, of: "connection" }
      : !address.isShared && address.openStreams >= openStreamsPerAddress
        ? { max: openStreamsPerAddress, of: "address" }
        : undefined;
  if (limit !== undefined) connection.refusedStreams++;
  return limit;
}
