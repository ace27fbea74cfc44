import type { NewBatch } from "../../../../store/channels/channels.ts";
import type { AddRecipient } from "../../audience/pages.ts";
import type { Variants } from "../../audience/variants.ts";
import { compileReceipts, type PushOrigin } from "../../content/receipts.ts";
import { PayloadWriter } from "../body/write-payload.ts";
import { PayloadBuffer } from "./payload-buffer.ts";
import { encodeNote } from "./segments.ts";

export interface BatchPlan {
  readonly projectId: number;
  readonly origin: PushOrigin;
  readonly variants: Variants;
  /** Messages of one batch. */
  readonly size: number;
  /** Returns a new UUID. */
  readonly newRequestId: () => string;
}

export interface BatchWriter {
  /** Writes a message to the open batch. */
  readonly add: AddRecipient;
  /**
   * Returns and removes the complete batches, with `isLast` also the open one. Their payloads are valid until the next
   * call: then their memory is used again.
   */
  take(isLast: boolean): readonly NewBatch[];
}

/** Creates a writer that makes batches of recipients. */
export function createBatchWriter(plan: BatchPlan): BatchWriter {
  const { projectId, origin, variants, size, newRequestId } = plan;
  const receipts = variants.all.map(({ groupId, language }) =>
    compileReceipts({ projectId, origin, groupId, language: variants.isMultiLanguage ? language : "" }),
  );
  const notes = variants.all.map((variant) => encodeNote([variant]));
  const noteOf = (chosen: readonly number[]): string =>
    chosen.every((variant) => variant === chosen[0])
      ? notes[chosen[0]!]!
      : encodeNote(chosen.map((variant) => variants.all[variant]!));
  const payload = new PayloadWriter();
  let batches: NewBatch[] = [];
  let [open, taken] = [new PayloadBuffer(), new PayloadBuffer()];
  let requestId = "";
  let written: readonly string[] = [];
  let chosen: number[] = [];
  const close = (): void => {
    const note = noteOf(chosen);
    batches.push({ requestId, size: chosen.length, payload: open.write(payload.take()), note });
    chosen = [];
  };
  return {
    add(pushId, variant, texts) {
      if (chosen.length === 0) {
        requestId = origin.kind === "journey" ? "" : newRequestId();
        written = receipts.map((write) => write(requestId));
      }
      payload.add(variants.all[variant]!.element, pushId, texts, written[variant]!);
      chosen.push(variant);
      if (chosen.length === size) close();
    },
    take(isLast) {
      if (isLast && chosen.length > 0) close();
      const whole = batches;
      batches = [];
      taken.reuse();
      [open, taken] = [taken, open];
      return whole;
    },
  };
}
