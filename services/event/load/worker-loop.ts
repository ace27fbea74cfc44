import type { MessagePort } from "node:worker_threads";
import { type Intake, IntakeBehindError, IntakeOpenError } from "../../../store/intake/intake.ts";
import { createPreparer, type Preparer } from "./prepare.ts";
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
  const handle = async (message: Exclude<ToPrepareWorker, { kind: "close" }>): Promise<FromPrepareWorker> => {
    const opened = await open();
    if (message.kind === "prepare") return { kind: "prepared", prepared: await opened.prepare(message.task) };
    await opened.reset(message.start);
    return { kind: "ready" };
  };
  const close = async (): Promise<void> => {
    await intake?.[Symbol.asyncDispose]();
    port.close();
  };
  const serve = async (message: ToPrepareWorker): Promise<void> => {
    if (message.kind === "close") return await close();
    progress[0] = -1;
    try {
      const reply = await handle(message);
      const deadLetters = reply.kind === "prepared" ? reply.prepared.deadLetters : undefined;
      port.postMessage(reply, deadLetters === undefined ? [] : [deadLetters.ndjson.buffer]);
    } catch (error) {
      port.postMessage(failureOf(error));
    }
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
