import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { IntakeOpenError } from "../../../store/intake/intake.ts";
import type { PrepareStart, PrepareTask, WrittenBatch } from "./prepared.ts";
import type { FromPrepareWorker, ToPrepareWorker } from "./worker-messages.ts";

/** A preparer in another thread. A call may be made when the one before has ended. */
export interface PrepareWorker extends AsyncDisposable {
  /**
   * Resets the preparer.
   * @throws IntakeOpenError, or another Error if the intake cannot be read; the call may be repeated
   */
  reset(start: PrepareStart): Promise<void>;
  /**
   * Prepares a batch and transfers the task's bytes. The next one is prepared while the claims of this one
   * are committed.
   * @throws Error if the disk fails, after which it must be reset
   */
  prepare(task: PrepareTask): Promise<WrittenBatch>;
}

interface ExpectedReply extends PromiseWithResolvers<FromPrepareWorker> {
  readonly call: ToPrepareWorker;
}

/** The thread has ended, so that all later calls fail too. */
export class PrepareWorkerDiedError extends Error {
  override readonly name = "PrepareWorkerDiedError";
  /** The offset of the line in preparation, in the file of the spool; undefined if there is none. */
  readonly lineOffset: number | undefined;

  constructor(message: string, lineOffset: number | undefined, options?: ErrorOptions) {
    super(message, options);
    this.lineOffset = lineOffset;
  }
}

/** Creates the client of a prepare thread. @param progress shared with the thread, see `servePreparer` */
export function createPrepareWorker(
  worker: Worker,
  progress: Float64Array<SharedArrayBuffer>,
): PrepareWorker {
  /** Replies that are expected, in their order. */
  let expected: ExpectedReply[] = [];
  let death: PrepareWorkerDiedError | undefined;
  const die = (error: Error): void => {
    const offset = progress[0]!;
    death ??= new PrepareWorkerDiedError(
      `the thread that prepares records ended: ${error.message}`,
      offset < 0 ? undefined : offset,
      { cause: error },
    );
    for (const { reject } of expected) reject(death);
    expected = [];
  };
  worker.on("error", die);
  worker.on("exit", (code) => die(new Error(`exit code ${code}`)));
  worker.on("message", (message: FromPrepareWorker) => {
    const first = expected.shift();
    if (message.kind === "failed") expected = expected.filter(({ call }) => call !== first?.call);
    first?.resolve(message);
  });
  const expect = (call: ToPrepareWorker): Promise<FromPrepareWorker> => {
    const reply = Promise.withResolvers<FromPrepareWorker>();
    // One that is not awaited is that of a failed call, or of a batch which is not loaded.
    reply.promise.catch(() => {});
    expected.push({ call, ...reply });
    return reply.promise;
  };
  const replyOf = async <K extends FromPrepareWorker["kind"]>(
    kind: K,
    awaited: Promise<FromPrepareWorker>,
  ): Promise<Extract<FromPrepareWorker, { kind: K }>> => {
    const reply = await awaited;
    if (reply.kind === "failed") {
      throw reply.of === "intake" ? new IntakeOpenError(reply.message) : new Error(reply.message);
    }
    if (reply.kind !== kind) throw new Error(`the thread replied ${reply.kind}`);
    return reply as Extract<FromPrepareWorker, { kind: K }>;
  };
  return {
    async reset(start) {
      if (death !== undefined) throw death;
      const call: ToPrepareWorker = { kind: "reset", start };
      worker.postMessage(call);
      await replyOf("ready", expect(call));
    },
    async prepare(task) {
      if (death !== undefined) throw death;
      const call: ToPrepareWorker = { kind: "prepare", task };
      worker.postMessage(call, [task.bytes.buffer]);
      const [written, ended] = [expect(call), expect(call)];
      const { prepared } = await replyOf("prepared", written);
      const committed = replyOf("committed", ended).then(() => {});
      committed.catch(() => {});
      return { ...prepared, committed };
    },
    async [Symbol.asyncDispose]() {
      if (death !== undefined) return;
      const exited = once(worker, "exit");
      worker.postMessage({ kind: "close" } satisfies ToPrepareWorker);
      await exited;
    },
  };
}
