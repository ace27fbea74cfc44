import { detectGzip, gunzip } from "../../base/files/gunzip.ts";
import { UserError } from "../terminal/user-error.ts";

/** Inflates a file that begins as gzip. @throws UserError if its name ends in `.gz`, but it is not gzip */
export async function* inflateFile(
  source: AsyncGenerator<Uint8Array>,
  file: string,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const { isGzip, chunks } = await detectGzip(source);
  if (!isGzip && file.toLowerCase().endsWith(".gz")) {
    throw new UserError(`${JSON.stringify(file)} is not gzipped, as its name says`);
  }
  yield* isGzip ? gunzip(chunks, chunkBytes) : chunks;
}
