import type { MessagePort } from "node:worker_threads";
import { type Intake, IntakeBehindError, IntakeOpenError } from "../../../store/intake/intake.ts";
import { createPreparer, type Preparer } from "./prepare.ts";
import type { PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";
import type { EventDivision } from "./rows/row-files.ts";
import type { FromPrepareWorker, ToPrepareWorker } from "./worker-messages.ts";

export interface PrepareThread extends EventDivision {
  readonly port: MessagePort;
  /** Opens the intake; called at the first reset, and again if that failed. */
  readonly openIntake: () => Intake | Promise<Intake>;
  /** Folder of the files of prepared rows, which exists. */
  readonly folder: string;
  readonly progress: Float64Array<SharedArrayBuffer>;
}

/** Serves messages until the message `close`. */
export function servePreparer({ port, openIntake, folder, progress, ...division }: PrepareThread): void {
  let intake: Intake | undefined;
  let preparer: Preparer | undefined;
  const open = async (): Promise<Preparer> => {
    intake ??= await openIntake();
    preparer ??= createPreparer({
      intake,
      folder,
      ...division,
      begun: (offset) => {
        progress[0] = offset;
      },
    });
    return preparer;
  };
  /** Ends with the last reply to the messages so far. */
  let replied = Promise.resolve();
  const fail = (error: unknown): void => port.postMessage(failureOf(error));
  const reset = async (start: PrepareStart): Promise<void> => {
    await (await open()).reset(start);
    port.postMessage({ kind: "ready" } satisfies FromPrepareWorker);
  };
  /** Resolves when the next message may be served: its batch is prepared while the claims of this one are committed. */
  const prepare = async (task: PrepareTask): Promise<void> => {
    const opened = await open();
    const before = replied;
    const written = Promise.withResolvers<PreparedBatch>();
    const committed = opened.prepare(task, written.resolve);
    committed.catch(written.reject);
    // It may fail before it is awaited.
    written.promise.catch(() => {});
    const prepared = before.then(async () => {
      const batch = await written.promise;
      const reply = { kind: "prepared", prepared: batch } satisfies FromPrepareWorker;
      port.postMessage(reply, batch.deadLetters === undefined ? [] : [batch.deadLetters.ndjson.buffer]);
    });
    replied = prepared
      .then(() => committed)
      .then(() => port.postMessage({ kind: "committed" } satisfies FromPrepareWorker))
      .catch(fail);
    await prepared.catch(() => {});
  };
  const close = async (): Promise<void> => {
    await replied;
    await intake?.[Symbol.asyncDispose]();
    port.close();
  };
  const serve = async (message: ToPrepareWorker): Promise<void> => {
    if (message.kind === "close") return await close();
    progress[0] = -1;
    await (message.kind === "reset" ? reset(message.start) : prepare(message.task)).catch(fail);
    progress[0] = -1;
  };
  let serving = Promise.resolve();
  port.on("message", (message: ToPrepareWorker) => {
    serving = serving.then(() => serve(message));
  });
}

function failureOf(error: unknown): FromPrepareWorker {
  const message = error instanceof Error ? error.message : String(error);
  const isOfIntake = error instanceof IntakeOpenError || error instanceof IntakeBehindError;
  return { kind: "failed", message, ...(isOfIntake && { of: "intake" }) };
}
