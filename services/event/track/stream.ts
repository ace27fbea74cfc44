import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type TrackStreamRequest,
  type TrackStreamResponse,
  TrackStreamResponseSchema,
} from "../../../gen/engage/event/v1/track_pb.ts";
import type { AppendLine, CheckingOptions } from "../accept-records.ts";
import type { ProjectDirectory } from "../projects.ts";
import { trackBatch } from "./track.ts";

/** Batches that wait for the disk; more are not read meanwhile. */
const maxAhead = 32;

/** Accepts the batches of a stream and acknowledges them in their order, each after it is on disk. */
export async function* trackStream(
  options: CheckingOptions & { readonly directory: ProjectDirectory },
  requests: AsyncIterable<TrackStreamRequest>,
): AsyncGenerator<TrackStreamResponse> {
  let last: bigint | undefined;
  /** Settled when the append of all earlier batches has begun, so that a small batch does not overtake a large one. */
  let previous = Promise.resolve();
  const take = async ({ sequence, batch }: TrackStreamRequest): Promise<TrackStreamResponse> => {
    if (last !== undefined && sequence <= last) {
      throw invalid(`sequence ${sequence} is not higher than the one before, ${last}`);
    }
    last = sequence;
    if (batch === undefined) throw invalid(`batch of sequence ${sequence} is missing`);
    const before = previous;
    const begun = Promise.withResolvers<void>();
    previous = begun.promise;
    const append: AppendLine = async (line, projectId) => {
      await before;
      const appended = options.append(line, projectId);
      begun.resolve();
      await appended;
    };
    try {
      const result = await trackBatch({ ...options, append }, batch, "track_stream");
      return create(TrackStreamResponseSchema, { sequence, result });
    } finally {
      void before.then(begun.resolve);
    }
  };
  yield* inOrder(requests, take, maxAhead);
}

type StreamEvent<T, U> = { readonly read: IteratorResult<T> } | { readonly done: U };

/** Yields results in the order of the source, with several in progress. The first failure ends it. */
async function* inOrder<T, U>(
  source: AsyncIterable<T>,
  work: (item: T) => Promise<U>,
  ahead: number,
): AsyncGenerator<U> {
  const iterator = source[Symbol.asyncIterator]();
  const read = (): Promise<StreamEvent<T, U>> => quiet(iterator.next().then((result) => ({ read: result })));
  const under: Promise<StreamEvent<T, U>>[] = [];
  let next: Promise<StreamEvent<T, U>> | undefined = read();
  while (next !== undefined || under.length > 0) {
    const mayRead: boolean = next !== undefined && under.length < ahead;
    const events = [...under.slice(0, 1), ...(mayRead && next !== undefined ? [next] : [])];
    const event: StreamEvent<T, U> = await Promise.race(events);
    if ("done" in event) {
      under.shift();
      yield event.done;
    } else if (event.read.done) {
      next = undefined;
    } else {
      under.push(quiet(work(event.read.value).then((done) => ({ done }))));
      next = read();
    }
  }
}

/** Prevents an unhandled rejection if nothing awaits the promise any more. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function invalid(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument);
}
