import type { ServerResponse } from "node:http";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { loadHttp2 } from "../../base/net/late-modules.ts";
import { tooManyStreams } from "../call/refusals.ts";
import type { GatewayLimits } from "../limits.ts";
import { notifyClosed, watchClose } from "./close-listener.ts";
import { type Address, type Connection, connectionOf } from "./connections.ts";
import type { FairWorkQueue } from "./fair-work-queue.ts";

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

/**
 * Counts a call on an HTTP/2 stream until it is closed. Refuses the stream and returns false if its address has too
 * many calls, or its connection continues after many refusals. Clients may send it again later.
 */
export function startHttp2Call(stream: ServerHttp2Stream, maxPerAddress: number): boolean {
  const session = stream.session as ServerHttp2Session | undefined;
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
  (stream as Counted)[kConnection] = connection;
  watchClose(stream);
  stream.on("close", onStreamClose);
  return true;
}

const kConnection = Symbol("connection of a call");

type Counted = ServerHttp2Stream & { [kConnection]?: Connection };

/** Shared by all streams, as a closed stream has no session. */
function onStreamClose(this: Counted): void {
  this[kConnection]?.endCall();
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
