import { isOwn, messageOf, type StoreFaults } from "../faults.ts";
import { codeOf, storeCodes } from "./codes.ts";

/** An error as it crosses to another thread. A number is a place in the store's `requestErrors`. */
export interface ErrorNote {
  readonly kind: "unavailable" | "other" | number;
  readonly message: string;
}

/** Whether the store failed, in contrast to a request that can't be fulfilled. */
export function isStoreError(faults: StoreFaults, error: unknown): boolean {
  return storeCodes.has(codeOf(error)) || error instanceof faults.UnavailableError;
}

export function toNote(faults: StoreFaults, path: string, error: unknown): ErrorNote {
  const message = messageOf(error);
  const kind = faults.requestErrors.findIndex((one) => error instanceof one);
  if (kind >= 0) return { kind, message };
  const why = storeCodes.get(codeOf(error));
  if (why !== undefined) {
    return { kind: "unavailable", message: `${faults.noun} file "${path}": ${why} (${message})` };
  }
  return { kind: isOwn(faults, error) ? "unavailable" : "other", message };
}

/** For a request: a database that can't be opened again is only unavailable now. */
export function fromNote(faults: StoreFaults, { kind, message }: ErrorNote): Error {
  if (kind === "other") return new Error(message);
  const Kind = kind === "unavailable" ? faults.UnavailableError : faults.requestErrors[kind]!;
  return new Kind(message);
}
