import type { MessagePort } from "node:worker_threads";
import { type Intake, IntakeBehindError, IntakeOpenError } from "../../../store/intake/intake.ts";
import { createPreparer, type Preparer } from "./prepare.ts";
import type { FromPrepareWorker, ToPrepareWorker } from "./worker-messages.ts";

export interface PrepareThread {
  readonly port: MessagePort;
  /** Opens the intake; called at the first reset, and again if that failed. */
  readonly openIntake: () => Intake;
  /** Folder of the files of prepared rows, which exists. */
  readonly folder: string;
  readonly progress: Float64Array<SharedArrayBuffer>;
}

/** Serves messages until the message `close`. */
export function servePreparer({ port, openIntake, folder, progress }: PrepareThread): void {
  let intake: Intake | undefined;
  let preparer: Preparer | undefined;
  const open = (): Preparer => {
    intake ??= openIntake();
    preparer ??= createPreparer({
      intake,
      folder,
      begun: (offset) => {
        progress[0] = offset;
      },
    });
    return preparer;
  };
  const handle = (message: Exclude<ToPrepareWorker, { kind: "close" }>): FromPrepareWorker => {
    if (message.kind === "prepare") return { kind: "prepared", prepared: open().prepare(message.task) };
    open().reset(message.start);
    return { kind: "ready" };
  };
  port.on("message", (message: ToPrepareWorker) => {
    if (message.kind === "close") {
      intake?.[Symbol.dispose]();
      port.close();
      return;
    }
    progress[0] = -1;
    try {
      const reply = handle(message);
      const letters = reply.kind === "prepared" ? reply.prepared.letters : undefined;
      port.postMessage(reply, letters === undefined ? [] : [letters.ndjson.buffer]);
      progress[0] = -1;
    } catch (error) {
      progress[0] = -1;
      const text = error instanceof Error ? error.message : String(error);
      const isOfIntake = error instanceof IntakeOpenError || error instanceof IntakeBehindError;
      port.postMessage({
        kind: "failed",
        message: text,
        ...(isOfIntake && { of: "intake" }),
      } satisfies FromPrepareWorker);
    }
  });
}
