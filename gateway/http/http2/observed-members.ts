import type { ServerHttp2Stream } from "node:http2";
import { isDeepStrictEqual } from "node:util";
import type { HeaderBlock } from "./header-block.ts";

/** A whole response. */
export interface DirectResponse {
  readonly head: HeaderBlock;
  readonly body: Uint8Array;
  readonly trailers: HeaderBlock;
}

/** The native part of a stream, without what is not used. */
export interface NativeStream {
  respond(head: HeaderBlock, options: number): number;
  writeBuffer(request: null, bytes: Uint8Array): number | { buffer?: Uint8Array };
  shutdown(request: object): number;
  trailers(block: HeaderBlock): number;
  readonly onread: unknown;
}

/** A stream with what `node:stream` calls legacy. */
export type OpenStream = ServerHttp2Stream & {
  readonly _readableState: { endEmitted: boolean; ended: boolean; readonly length: number };
  readonly _writableState: { ending: boolean };
} & Record<symbol, unknown>;

/** Members of `node:http2` that are not public. */
export interface Members {
  /** The property of the native part. */
  readonly native: symbol;
  /** The method that destroys a stream which is done. */
  readonly maybeDestroy: symbol;
  readonly destroyIfDone: unknown;
  readonly Shutdown: new () => object;
  /** The options of a response that has trailers. */
  readonly withTrailers: number;
  readonly emit: OpenStream["emit"];
  readonly push: OpenStream["push"];
}

/** The calls by which Node sends a response. */
const steps = ["respond", "writeBuffer", "shutdown", "trailers"] as const;

/**
 * Streams that are observed at a time. The next one takes the place of the first, since a peer may never read the
 * response that would show all steps.
 */
const maxObserved = 256;
/** Streams that Node handles in another way, until no more are observed. */
const maxOthers = 256;

/**
 * Observes how Node sends responses that it is about to send, and reports its members once it does so in exactly the
 * way in which `direct-streams.ts` does. In another version of Node it never does, and all streams stay Node's.
 */
export class ResponseObserver {
  readonly #observed = new Set<Record<string, unknown>>();
  #others = 0;

  observe(stream: OpenStream, response: DirectResponse, report: (found: Members) => void): void {
    if (this.#others >= maxOthers) return;
    const native = symbolOf(stream, "kHandle");
    const maybeDestroy = symbolOf(stream, "kMaybeDestroy");
    const handle = native && (stream[native] as Record<string, unknown>);
    if (handle === undefined || maybeDestroy === undefined || !readsAsExpected(handle["onread"])) {
      this.#others++;
      return;
    }
    const { emit, push } = stream;
    this.#record(handle, (seen) => {
      const withTrailers = seen[0]?.[2] as number;
      const request = seen[2]?.[1] as object;
      const expected = [
        ["respond", response.head, withTrailers],
        ["writeBuffer", null, response.body],
        ["shutdown", request],
        ["trailers", response.trailers],
      ];
      if (!isDeepStrictEqual(seen, expected)) {
        this.#others++;
        return;
      }
      const Shutdown = request.constructor as Members["Shutdown"];
      const destroyIfDone = stream[maybeDestroy];
      report({ native: native as symbol, maybeDestroy, destroyIfDone, Shutdown, withTrailers, emit, push });
    });
    stream.once("close", () => this.#observed.delete(handle));
  }

  /** Records the steps of a response, and passes them on at the last. */
  #record(handle: Record<string, unknown>, conclude: (seen: readonly unknown[][]) => void): void {
    const [first] = this.#observed;
    if (first !== undefined && this.#observed.size >= maxObserved) {
      this.#observed.delete(first);
      for (const step of steps) delete first[step];
    }
    this.#observed.add(handle);
    const seen: unknown[][] = [];
    for (const step of steps) {
      const call = handle[step] as (...values: unknown[]) => unknown;
      handle[step] = (...values: unknown[]) => {
        seen.push([step, ...values]);
        if (step === "trailers") conclude(seen);
        return Reflect.apply(call, handle, values);
      };
    }
  }
}

/** Node pushes chunks, and at the end of a stream whose end was emitted only asks whether it can be destroyed. */
const expectedReader =
  /stream\.push\(buf\).*endEmitted\) \{\s*if \(stream\[kMaybeDestroy\]\)\s*stream\[kMaybeDestroy\]\(\);\s*\} else/s;

function readsAsExpected(onread: unknown): boolean {
  return expectedReader.test(String(onread));
}

function symbolOf(target: object, description: string): symbol | undefined {
  for (let owner: object | null = target; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const found = Object.getOwnPropertySymbols(owner).find((symbol) => symbol.description === description);
    if (found !== undefined) return found;
  }
  return undefined;
}
