import { checkRange } from "../../sql/values.ts";
import type { PageRequest } from "../records.ts";
import type { LeaseRequest } from "../work.ts";

export function checkPage({ limit }: PageRequest): void {
  checkRange("limit", limit, 1, 1000);
}

export function checkLeasing({ maxElements, maxBytes = 1, leaseMs }: LeaseRequest): void {
  checkRange("maxElements", maxElements, 1, 1_000_000);
  checkRange("maxBytes", maxBytes, 1, Number.MAX_SAFE_INTEGER);
  checkLeaseMs(leaseMs);
}

/** A lease lasts at most a day. A longer one would hide the work of a crashed holder for too long. */
export function checkLeaseMs(leaseMs: number): void {
  checkRange("leaseMs", leaseMs, 1, 86_400_000);
}

export function checkNonce(nonce: string): void {
  checkRange("length of nonce", nonce.length, 1, 200);
  if (!nonce.isWellFormed() || nonce.includes("\0")) {
    throw new RangeError("nonce holds a NUL or half a surrogate pair");
  }
}
