import type { Target, TargetOutcome } from "./target.ts";
import { type WriteMessage, writeOrFault } from "./write.ts";

export interface LogTargetOptions {
  /** Logs a message. */
  readonly log: (entry: { target: string; deliveryId: string; pushId: string; message: string }) => void;
  readonly write: WriteMessage;
}

/** Creates a target that writes messages to the service's log. */
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
