import { asBuffer } from "../../../base/json/utf8.ts";
import { MissingValueError, type TemplateInput, UnsendableError } from "../mapping/template.ts";
import type { HandedBatch, TargetOutcome } from "./target.ts";

/** Writes the JSON text of a message for a target. @throws MissingValueError */
export type WriteMessage = (input: TemplateInput) => string;

/** Returns the message as received. */
export const writeReceived: WriteMessage = ({ element }) => asBuffer(element.json).toString("utf8");

/** Returns the text, or the outcome of a message that can never be sent. */
export function writeOrFault<T extends string | object>(write: () => T): T | TargetOutcome {
  try {
    return write();
  } catch (error) {
    if (error instanceof MissingValueError || error instanceof UnsendableError) {
      return { kind: "dead", reason: error.message };
    }
    throw error;
  }
}

/** Returns the text or the fault of each message of a batch. */
export function writeAll(batch: HandedBatch, write: WriteMessage): readonly (string | TargetOutcome)[] {
  return batch.elements.map((element) => writeOrFault(() => write({ batch, element })));
}

/** Returns the outcome of each message: its fault, or the outcome of the call. */
export function outcomesOf(
  texts: readonly (string | TargetOutcome)[],
  sent: TargetOutcome,
): readonly TargetOutcome[] {
  return texts.map((text) => (typeof text === "string" ? sent : text));
}
