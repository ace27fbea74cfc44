import { createHash, timingSafeEqual } from "node:crypto";

/** A header that every call of a channel must carry, for example an API key. */
export interface RequiredHeader {
  readonly name: string;
  readonly value: Uint8Array;
}

/** The first header that is missing or has another value. Values are compared in constant time, whatever their length. */
export function findWrongHeader(
  headers: Pick<Headers, "get">,
  required: readonly RequiredHeader[],
): string | undefined {
  let wrong: string | undefined;
  for (const { name, value } of required) {
    const given = headers.get(name);
    if (given === null || !isEqual(toBytes(given), value)) wrong ??= name;
  }
  return wrong;
}

/** Node reads header bytes as Latin-1. A value that fits in it was sent so, or in UTF-8; both are bytes again here. */
function toBytes(header: string): Uint8Array {
  return Buffer.from(header, "latin1");
}

function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
