import { Readable } from "node:stream";
import { createInflater } from "./inflate.ts";

/** The chunks of a file, with the ones that were read to detect gzip. */
export interface DetectedFile {
  /** True if the file begins with the two bytes of gzip. */
  readonly isGzip: boolean;
  readonly chunks: AsyncGenerator<Uint8Array>;
}

/** Reads the first chunks until there are two bytes, unless the file has fewer. */
export async function detectGzip(source: AsyncGenerator<Uint8Array>): Promise<DetectedFile> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < 2) {
    const next = await source.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    if (head.length > 0) yield head;
    yield* source;
  }
  return { isGzip: head[0] === 0x1f && head[1] === 0x8b, chunks: all() };
}

/** Inflates gzip data while they are read. @throws what the source throws, or the error of zlib */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  chunkBytes?: number,
): AsyncGenerator<Uint8Array> {
  const compressed = Readable.from(chunks);
  const plain = createInflater("gzip", chunkBytes === undefined ? {} : { chunkSize: chunkBytes });
  compressed.on("error", (error) => plain.destroy(error));
  try {
    yield* compressed.pipe(plain);
  } finally {
    compressed.destroy();
  }
}
