import type { ServerHttp2Stream } from "node:http2";
import type { HeaderBlock } from "./header-block.ts";
import {
  type DirectResponse,
  type Members,
  type NativeStream,
  type OpenStream,
  ResponseObserver,
} from "./observed-members.ts";

/**
 * Requests and responses of small unary calls without the state and the events of Node's streams, which take a quarter
 * of the time of a small call. nghttp2 and Node's session still do all of HTTP/2. Until `observed-members.ts` has
 * learned from a response how Node does it, and where it does it in another way, streams are used as Node's.
 */

/** Receives the body of a request as its frames arrive. */
export interface BodyReader {
  /** Returns whether the body goes on, as far as it is known. */
  data(chunk: Buffer): boolean;
  /** Called at the end of a complete body. */
  end(): void;
}

const kReader = Symbol("body reader");
const kTrailers = Symbol("trailers");

type DirectStream = OpenStream & {
  [kReader]?: BodyReader | undefined;
  [kTrailers]?: HeaderBlock | undefined;
};

const observer = new ResponseObserver();
let members: Members | undefined;

/** Passes the body of a request to `reader`, until `release` is called. */
export function readBody(target: ServerHttp2Stream, reader: BodyReader): void {
  const stream = target as DirectStream;
  stream[kReader] = reader;
  // Another part of the process may read a stream too.
  if (members === undefined || stream.readableFlowing !== null) {
    stream.on("error", ignore).on("data", onData).on("end", endBody).resume();
    return;
  }
  const state = stream._readableState;
  stream.push = push;
  stream.emit = emit;
  // Where the end was emitted, Node only asks whether the stream can be destroyed, and never waits for the event.
  stream[members.maybeDestroy] = endBody;
  state.endEmitted = true;
  if (state.length > 0 || state.ended) readEarly(stream);
}

/** Passes on what has arrived before the stream began, chunk by chunk. */
function readEarly(stream: DirectStream): void {
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) push.call(stream, chunk);
  if (stream._readableState.ended) endBody.call(stream);
}

/**
 * Sends a whole response on an open stream whose body has ended. Returns false, and sends nothing, if the caller has to
 * send it through the stream.
 */
export function respondDirectly(target: ServerHttp2Stream, response: DirectResponse): boolean {
  const stream = target as DirectStream;
  if (members === undefined) {
    observer.observe(stream, response, (found) => {
      members = found;
    });
  }
  if (members === undefined || stream.emit !== emit) return false;
  const native = stream[members.native] as NativeStream;
  // Otherwise Node reports at its end that the peer has cut it off.
  stream._writableState.ending = true;
  stream[kTrailers] = response.trailers;
  if (native.respond(response.head, members.withTrailers) < 0) {
    stream.destroy(new Error("the head of the response cannot be sent"));
    return true;
  }
  const write = native.writeBuffer(null, response.body);
  // The bytes are sent later, and must not be collected before.
  if (typeof write === "object") write.buffer = response.body;
  native.shutdown(new members.Shutdown());
  return true;
}

/** Passes no more of the body on, and makes the stream one of Node's for any other response. */
export function release(target: ServerHttp2Stream): void {
  const stream = target as DirectStream;
  const hasEnded = stream[kReader] === undefined;
  stream[kReader] = undefined;
  if (members === undefined || stream.emit !== emit) return;
  stream.push = members.push;
  stream.emit = members.emit;
  stream[members.maybeDestroy] = members.destroyIfDone;
  if (!hasEnded) stream._readableState.endEmitted = false;
  stream.on("error", ignore);
  // Node resets a stream after its response if nothing was read from it.
  stream._read(0);
}

/** Called with each chunk, and with null after the trailers of a request and when the stream is destroyed. */
function push(this: DirectStream, chunk: unknown): boolean {
  if (chunk === null) endBody.call(this);
  // Opens the window of the stream, which is enough for a first chunk.
  else if (this[kReader]?.data(chunk as Buffer)) this._read(0);
  return true;
}

function endBody(this: DirectStream): void {
  const reader = this[kReader];
  this[kReader] = undefined;
  // A stream that is reset or destroyed ends too.
  if (!this.closed) reader?.end();
}

function onData(this: DirectStream, chunk: Buffer): void {
  this[kReader]?.data(chunk);
}

function emit(this: DirectStream, event: string | symbol, ...values: unknown[]): boolean {
  // A stream that fails also closes.
  if (event === "error") return true;
  const known = members as Members;
  if (event !== "wantTrailers") return Reflect.apply(known.emit, this, [event, ...values]);
  // The session is putting the frames of the response together, so that the trailers follow at once.
  const native = this[known.native] as NativeStream;
  if (native.trailers(this[kTrailers] as HeaderBlock) < 0)
    this.destroy(new Error("the trailers of the response cannot be sent"));
  return true;
}

function ignore(): void {}
