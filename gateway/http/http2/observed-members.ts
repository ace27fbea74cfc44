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

/** Streams that are observed before one has shown all steps: some are reset, and many may begin together. */
const maxObserved = 256;
let observed = 0;

/**
 * Observes how Node sends a response that it is about to send, and reports its members if it does so in exactly the way
 * in which `direct-streams.ts` does. In another version of Node it never does, and all streams stay Node's.
 */
export function observeResponse(
  stream: OpenStream,
  response: DirectResponse,
  report: (found: Members) => void,
): void {
  const native = symbolOf(stream, "kHandle");
  const maybeDestroy = symbolOf(stream, "kMaybeDestroy");
  if (native === undefined || maybeDestroy === undefined || observed++ >= maxObserved) return;
  const handle = stream[native] as Record<string, unknown>;
  if (!readsAsExpected(handle["onread"])) return;
  const seen: unknown[][] = [];
  const { emit, push } = stream;
  const conclude = (): void => {
    const withTrailers = seen[0]?.[2] as number;
    const request = seen[2]?.[1] as object;
    const expected = [
      ["respond", response.head, withTrailers],
      ["writeBuffer", null, response.body],
      ["shutdown", request],
      ["trailers", response.trailers],
    ];
    if (!isDeepStrictEqual(seen, expected)) return;
    const Shutdown = request.constructor as Members["Shutdown"];
    const destroyIfDone = stream[maybeDestroy];
    report({ native, maybeDestroy, destroyIfDone, Shutdown, withTrailers, emit, push });
  };
  for (const step of steps) {
    const call = handle[step] as (...values: unknown[]) => unknown;
    handle[step] = (...values: unknown[]) => {
      seen.push([step, ...values]);
      if (step === "trailers") conclude();
      return Reflect.apply(call, handle, values);
    };
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
