import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { UserError } from "../terminal/user-error.ts";

/** What begins with the two bytes of a gzip file is inflated. @throws UserError when the name says so, and it is not */
export async function* inflateFile(
  chunks: AsyncGenerator<Uint8Array>,
  file: string,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const first = await chunks.next();
  const head = first.value ?? new Uint8Array(0);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  if (!isGzip && file.toLowerCase().endsWith(".gz")) {
    throw new UserError(`${JSON.stringify(file)} is not gzipped, as its name says`);
  }
  if (first.done === true) return;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* chunks;
  }
  if (!isGzip) {
    yield* all();
    return;
  }
  const compressed = Readable.from(all());
  const plain = createGunzip({ chunkSize: chunkBytes });
  compressed.on("error", (error) => plain.destroy(error));
  try {
    yield* compressed.pipe(plain);
  } finally {
    compressed.destroy();
  }
}
