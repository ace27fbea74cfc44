import { asBuffer } from "../../../base/json/utf8.ts";
import { MissingValueError, type TemplateInput, UnsendableError } from "../mapping/template.ts";
import type { HandedBatch, TargetOutcome } from "./target.ts";

/** The JSON text that a target gets of a message. May throw MissingValueError. */
export type WriteMessage = (input: TemplateInput) => string;

/** The message as it was received. */
export const writeReceived: WriteMessage = ({ element }) => asBuffer(element.json).toString("utf8");

/** Either the text, or why the message can never be sent. */
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

/** One text or fault for each message of a batch. */
export function writeAll(batch: HandedBatch, write: WriteMessage): readonly (string | TargetOutcome)[] {
  return batch.elements.map((element) => writeOrFault(() => write({ batch, element })));
}

/** The outcome of each message: its fault, or what became of those that could be written. */
export function outcomesOf(
  texts: readonly (string | TargetOutcome)[],
  sent: TargetOutcome,
): readonly TargetOutcome[] {
  return texts.map((text) => (typeof text === "string" ? sent : text));
}
