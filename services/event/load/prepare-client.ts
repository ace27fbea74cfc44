import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { IntakeOpenError } from "../../../store/intake/intake.ts";
import type { PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";
import type { FromPrepareWorker, ToPrepareWorker } from "./worker-messages.ts";

/** A preparer in another thread, which processes one call at a time. */
export interface PrepareWorker extends AsyncDisposable {
  /**
   * Resets the preparer.
   * @throws IntakeOpenError, or another Error if the intake cannot be read; the call may be repeated
   */
  reset(start: PrepareStart): Promise<void>;
  /** Prepares a batch and transfers the task's bytes. @throws Error if the disk fails, after which it must be reset */
  prepare(task: PrepareTask): Promise<PreparedBatch>;
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
  let pending: PromiseWithResolvers<FromPrepareWorker> | undefined;
  let death: PrepareWorkerDiedError | undefined;
  const die = (error: Error): void => {
    const offset = progress[0]!;
    death ??= new PrepareWorkerDiedError(
      `the thread that prepares records ended: ${error.message}`,
      offset < 0 ? undefined : offset,
      { cause: error },
    );
    pending?.reject(death);
    pending = undefined;
  };
  worker.on("error", die);
  worker.on("exit", (code) => die(new Error(`exit code ${code}`)));
  worker.on("message", (message: FromPrepareWorker) => {
    pending?.resolve(message);
    pending = undefined;
  });
  async function call(message: ToPrepareWorker, moved: readonly ArrayBuffer[]): Promise<FromPrepareWorker> {
    if (death !== undefined) throw death;
    pending = Promise.withResolvers();
    worker.postMessage(message, [...moved]);
    const reply = await pending.promise;
    if (reply.kind === "failed") {
      throw reply.of === "intake" ? new IntakeOpenError(reply.message) : new Error(reply.message);
    }
    return reply;
  }
  return {
    async reset(start) {
      await call({ kind: "reset", start }, []);
    },
    async prepare(task) {
      const reply = await call({ kind: "prepare", task }, [task.bytes.buffer]);
      if (reply.kind !== "prepared") throw new Error(`the thread replied ${reply.kind}`);
      return reply.prepared;
    },
    async [Symbol.asyncDispose]() {
      if (death !== undefined) return;
      const exited = once(worker, "exit");
      worker.postMessage({ kind: "close" } satisfies ToPrepareWorker);
      await exited;
    },
  };
}
