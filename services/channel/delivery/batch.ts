import type { NewBatch } from "../../../store/channels/channels.ts";
import type { Recipient } from "../audience/pages.ts";
import type { Variants } from "../audience/variants.ts";
import { compileReceipts, type PushOrigin, type WriteReceipts } from "../content/receipts.ts";
import { encodeNote } from "./segments.ts";

export interface BatchPlan {
  readonly projectId: number;
  readonly origin: PushOrigin;
  readonly variants: Variants;
  /** Messages in one batch. */
  readonly size: number;
  /** A UUID. */
  readonly newRequestId: () => string;
}

/** Makes batches of recipients; the last may be smaller. */
export function compileBatches(plan: BatchPlan): (recipients: readonly Recipient[]) => readonly NewBatch[] {
  const { projectId, origin, variants, size, newRequestId } = plan;
  const receipts = variants.all.map(({ groupId, language }) =>
    compileReceipts({ projectId, origin, groupId, language: variants.isMultiLanguage ? language : "" }),
  );
  const notes = variants.all.map((variant) => encodeNote([variant]));
  return (recipients) => {
    const batches: NewBatch[] = [];
    for (let at = 0; at < recipients.length; at += size) {
      const some = recipients.slice(at, at + size);
      const requestId = origin.kind === "journey" ? "" : newRequestId();
      batches.push({
        ...{ requestId, size: some.length, body: writeBody(some, variants, receipts, requestId) },
        note: some.every(([, variant]) => variant === some[0]![1])
          ? notes[some[0]![1]]!
          : encodeNote(some.map(([, variant]) => variants.all[variant]!)),
      });
    }
    return batches;
  };
}

function writeBody(
  recipients: readonly Recipient[],
  { all }: Variants,
  receipts: readonly WriteReceipts[],
  requestId: string,
): Uint8Array {
  const written = receipts.map((write) => write(requestId));
  const elements = recipients.map(([pushId, variant, ...texts]) =>
    all[variant]!.element.write(pushId, texts, written[variant]!),
  );
  return Buffer.from(`[${elements.join(",")}]`);
}
