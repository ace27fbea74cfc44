import { crc32 } from "node:zlib";

/**
 * Computes the CRC-32 which is stored in the same row and compared when the row is read. It detects
 * what a disk or a person has changed, at gigabytes a second.
 */
export function checksum(...parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => crc32(part, sum), 0);
}

/**
 * Reports whether the parts match a stored checksum. Rows of versions without checksums have none and
 * count as intact.
 */
export function isIntact(expected: number | null, ...parts: readonly Uint8Array[]): boolean {
  return expected === null || checksum(...parts) === expected;
}
