import type { Target, TargetOutcome } from "./target.ts";
import { type WriteMessage, writeOrFault } from "./write.ts";

export interface LogTargetOptions {
  /** Takes one message: who gets it, its id, and its JSON text. */
  readonly log: (entry: { target: string; deliveryId: string; pushId: string; message: string }) => void;
  readonly write: WriteMessage;
}

/** Messages into the service's own log, to look at them. */
export function createLogTarget({ log, write }: LogTargetOptions): Target {
  return {
    maxMessages: 1_000,
    async deliver(batch) {
      const { target } = batch;
      return batch.elements.map((element): TargetOutcome => {
        const message = writeOrFault(() => write({ batch, element }));
        if (typeof message !== "string") return message;
        log({ target, deliveryId: element.deliveryId, pushId: element.pushId, message });
        return { kind: "done" };
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}
