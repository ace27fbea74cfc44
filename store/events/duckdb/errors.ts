import { EventsMemoryError, EventsUnavailableError, PatternTooLargeError } from "../events.ts";
import type { SumForm } from "../sql/sum-forms.ts";

/** Errors of the disk, the memory and the engine itself, by the start of the engine's messages. */
const unavailable =
  /^(?:IO Error(?!: No files found)|Out of Memory Error|FATAL Error|INTERNAL Error)|Failed to commit|has been invalidated/;

/** A commit reports it in different words. */
const isMemory = /^Out of Memory Error|Failed to commit: (?:failed to (?:allocate|pin)|could not allocate)/;

const isPattern = /^Invalid Input Error: pattern too large/;

const unavailableCodes = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EMFILE", "ENFILE", "ENOMEM"]);

/** After these errors an instance is unusable until its file is opened again. */
const fatal = /^(?:FATAL|INTERNAL) Error|has been invalidated/;

/** Maps an error of the engine to the classes of the port; other errors stay. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof EventsUnavailableError) return error;
  if (isPattern.test(error.message)) return new PatternTooLargeError(firstLine(error), { cause: error });
  if (!unavailable.test(error.message) && !unavailableCodes.has(codeOf(error))) return error;
  const Kind = isMemory.test(error.message) ? EventsMemoryError : EventsUnavailableError;
  return new Kind(`the event store is unavailable: ${firstLine(error)}`, { cause: error });
}

export function isFatal(error: unknown): boolean {
  return error instanceof Error && fatal.test(error.message);
}

export function firstLine({ message }: Error): string {
  return message.split("\n", 1)[0]!;
}

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "");

const tooLarge = /^Conversion Error: (?:Could not cast value|Type DOUBLE with value) .*DECIMAL\(16,\s?6\)/;

/** The message of a statement which fails since the values of a sum are not decimal numbers, or are too large. */
export const notDecimal = "a sum is not one of decimal numbers";

/** Returns the form of sums in which a statement failed at a value that the form does not accept. */
export function failedSumForm(error: unknown): SumForm | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message.startsWith(`Invalid Input Error: ${notDecimal}`)) return "decimal";
  return tooLarge.test(error.message) ? "split" : undefined;
}
