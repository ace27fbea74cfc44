import { createHash, timingSafeEqual } from "node:crypto";

/** A header that every call of a channel must carry, for example an API key. */
export interface RequiredHeader {
  readonly name: string;
  readonly value: Uint8Array;
}

/** Returns the first header that is missing or has another value. Values are compared in constant time. */
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

/** Returns the bytes of a header, which Node has decoded as Latin-1. */
function toBytes(header: string): Uint8Array {
  return Buffer.from(header, "latin1");
}

function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
