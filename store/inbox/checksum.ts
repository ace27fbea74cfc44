import { crc32 } from "node:zlib";

/**
 * CRC-32 of what is stored, kept in the same row and compared when the row is
 * read: it finds what a disk or a hand has changed, at gigabytes a second.
 */
export function checksum(...parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => crc32(part, sum), 0);
}

/** Rows of versions before checksums have none, and are taken as they are. */
export function isIntact(expected: number | null, ...parts: readonly Uint8Array[]): boolean {
  return expected === null || checksum(...parts) === expected;
}
