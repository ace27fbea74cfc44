import { byteAt, scanValue, skipBlanks, startScan } from "../body/json-scan.ts";

const comma = 44;
const openList = 91;
const closeList = 93;

/**
 * How many elements a JSON list has; undefined when the bytes, which are valid
 * UTF-8, are no such list.
 */
export function countElements(bytes: Uint8Array): number | undefined {
  const start = skipBlanks(bytes, 0);
  if (byteAt(bytes, start) !== openList) return undefined;
  let at = skipBlanks(bytes, start + 1);
  let count = 0;
  if (byteAt(bytes, at) === closeList) return isEnd(bytes, at + 1) ? 0 : undefined;
  for (;;) {
    const scan = startScan(at);
    if (scanValue(bytes, scan, Number.POSITIVE_INFINITY) !== "end") return undefined;
    count++;
    at = skipBlanks(bytes, scan.at);
    const next = byteAt(bytes, at);
    if (next === closeList) return isEnd(bytes, at + 1) ? count : undefined;
    if (next !== comma) return undefined;
    at = skipBlanks(bytes, at + 1);
  }
}

function isEnd(bytes: Uint8Array, at: number): boolean {
  return skipBlanks(bytes, at) === bytes.length;
}
