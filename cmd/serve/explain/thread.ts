import type { Clock } from "../../../base/async/clock.ts";
import { workerUrl } from "../../../base/package/root.ts";
import type { ParserConfig } from "../../../services/parser/config.ts";
import {
  ExplainError,
  type ExplainOutcome,
  type ExplainTask,
  type ParserExplainerOptions,
} from "../../../services/parser/explain/explain.ts";
import { createLazyResource } from "../lazy.ts";

/** A task for the worker, which sets `begun[0]` to 1 when it begins. */
export interface WorkerTask extends ExplainTask {
  readonly begun: Int32Array;
}

export interface ExplainThreadOptions {
  readonly config: ParserConfig;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Time after which a task is ended. Default: 2 s. */
  readonly maxMs?: number;
  /** Default: 256. */
  readonly maxOldGenerationSizeMb?: number;
}

const defaultMaxMs = 2_000;
/** Time for the start of a thread, which the caller does not cause. */
const startMs = 30_000;
const checkMs = 50;
const idleMs = 10_000;
/** Contents that are explained or wait for it. */
const maxOpen = 8;

const workerFile = workerUrl("cmd/serve/explain/worker").href;

export interface ExplainThread extends AsyncDisposable {
  readonly explain: ParserExplainerOptions["explain"];
}

/**
 * Explains contents in a thread of its own, one at a time: a pattern that takes long holds up nothing else, and its
 * thread can be ended. The thread starts with the first content, and ends when it has nothing to do. Contents that are
 * being explained when it is closed are explained to the end.
 */
export function createExplainThread(options: ExplainThreadOptions): ExplainThread {
  const { config, clock, maxMs = defaultMaxMs, maxOldGenerationSizeMb = 256 } = options;
  let open = 0;
  const unused = Promise.withResolvers<void>();
  let isClosing = false;
  const threads = createLazyResource(async () => {
    const library = await import("piscina");
    const pool = new library.Piscina<WorkerTask, ExplainOutcome>({
      filename: workerFile,
      name: "explainInWorker",
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      workerData: config,
      resourceLimits: { maxOldGenerationSizeMb },
    });
    return { pool, [Symbol.asyncDispose]: () => pool.destroy() };
  });
  /** Ends the task when it has taken too long. */
  const limitTime = (begun: Int32Array, ended: AbortController): Disposable => {
    let limitMs = clock.monotonicMs() + startMs * maxOpen;
    let isBegun = false;
    const timer = setInterval(
      () => {
        const nowMs = clock.monotonicMs();
        if (!isBegun && Atomics.load(begun, 0) === 1) {
          isBegun = true;
          limitMs = nowMs + maxMs;
        }
        if (nowMs >= limitMs) ended.abort();
      },
      Math.min(checkMs, maxMs),
    ).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  };
  return {
    async explain(task, signal) {
      signal.throwIfAborted();
      if (open >= maxOpen) throw new ExplainError("busy", `${open} contents are being explained already`);
      open++;
      const begun = new Int32Array(new SharedArrayBuffer(4));
      const ended = new AbortController();
      using _limit = limitTime(begun, ended);
      try {
        const content = new Uint8Array(task.content);
        const { pool } = await threads.get();
        return await pool.run(
          { ...task, content, begun },
          { signal: AbortSignal.any([signal, ended.signal]), transferList: [content.buffer] },
        );
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (ended.signal.aborted)
          throw new ExplainError(
            "too_long",
            `parsing takes longer than ${maxMs} ms: shorten the content or the pattern`,
          );
        throw new ExplainError("crashed", "parsing needs more memory than it may", { cause: error });
      } finally {
        open--;
        if (isClosing && open === 0) unused.resolve();
      }
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      // Each content has a time limit.
      if (open > 0) await unused.promise;
      await threads[Symbol.asyncDispose]();
    },
  };
}
