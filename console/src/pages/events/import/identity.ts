import { piecesOf } from "./file-pieces.ts";

/** A digest that takes bytes piece by piece; the browser's own takes all at once, and only on secure pages. */
export interface Digest {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** The first bytes of the digest, which are enough to tell files apart. */
const identityBytes = 16;

export interface IdentityOptions {
  readonly signal: AbortSignal;
  /** Is told the part of the file that was read, from 0 to 1. */
  readonly progress: (share: number) => void;
}

/**
 * Identifies a file by its content, so that a copy of it under any name is known again. Only one piece of the file is
 * in memory at a time.
 */
export async function identityOf(
  file: Pick<File, "stream" | "size">,
  digest: Digest,
  { signal, progress }: IdentityOptions,
): Promise<string> {
  let readBytes = 0;
  for await (const bytes of piecesOf(file)) {
    signal.throwIfAborted();
    digest.update(bytes);
    readBytes += bytes.length;
    progress(Math.min(1, readBytes / Math.max(1, file.size)));
  }
  const start = digest.digest().subarray(0, identityBytes);
  return `table-${Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
