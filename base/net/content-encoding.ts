import { pipeline, Readable, type Transform } from "node:stream";
import { type Compression, createInflater } from "../compression/inflate.ts";
import { quoteText } from "../text/quote.ts";

/** The Accept-Encoding of requests; `openDecoder` reads all of these. */
export const acceptEncoding = "gzip, deflate, br";

/** An error for a body with an unknown encoding, or one that does not match its encoding. */
export class ContentEncodingError extends Error {
  override readonly name = "ContentEncodingError";
}

/** Decodes bytes piece by piece. */
export interface Decoder {
  write(chunk: Buffer): void;
  end(): void;
  /** Ends decoding early. */
  destroy(): void;
}

export interface DecoderEvents {
  readonly data: (chunk: Buffer) => void;
  readonly end: () => void;
  readonly error: (error: ContentEncodingError) => void;
}

/** Honest servers apply at most two encodings. */
const maxEncodings = 2;

const compressions: Readonly<Record<string, Compression>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "br",
};

/**
 * Returns the names in a Content-Encoding, in the order in which they were applied; none if the bytes are the body.
 * @throws ContentEncodingError for an encoding that cannot be decoded
 */
export function readContentEncoding(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const names = header
    .split(",", maxEncodings + 2)
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  const isKnown = names.every((name) => Object.hasOwn(compressions, name)) && names.length <= maxEncodings;
  if (isKnown) return names;
  throw new ContentEncodingError(
    `response has the content encoding ${quoteText(header)}, valid are gzip, deflate and br`,
  );
}

/** Opens a decoder for one encoding or more. The caller bounds the size of the output. */
export function openDecoder(encodings: readonly string[], events: DecoderEvents): Decoder {
  const [name = "", ...others] = encodings.toReversed();
  const { data, end, error } = events;
  const inner: Decoder =
    others.length === 0 ? { write: data, end, destroy() {} } : openDecoder(others.toReversed(), events);
  let inflater: Transform | undefined;
  const open = (first: number): Transform =>
    createInflater(compressions[name]!, { first })
      .on("data", (chunk: Buffer) => inner.write(chunk))
      .on("end", () => inner.end())
      .on("error", ({ message }: Error) =>
        error(new ContentEncodingError(`response is not ${name}: ${message}`)),
      );
  return {
    write(chunk) {
      if (chunk.length === 0) return;
      inflater ??= open(chunk[0]!);
      inflater.write(chunk);
    },
    end() {
      // An empty body may name any encoding.
      if (inflater === undefined) inner.end();
      else inflater.end();
    },
    destroy() {
      inflater?.destroy();
      inner.destroy();
    },
  };
}

/**
 * Does the same as `openDecoder` for an iterable of pieces, and reads them no faster than the result is consumed.
 * @throws ContentEncodingError, or the errors of the source
 */
export function decodePieces(
  source: AsyncIterable<Uint8Array>,
  encodings: readonly string[],
): AsyncIterable<Uint8Array> {
  return encodings.toReversed().reduce(decodeOne, source);
}

async function* decodeOne(source: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (first.done !== true && first.value.length === 0) first = await iterator.next();
  if (first.done === true) return;
  const begun = first.value;
  let fault: unknown;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield begun;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } catch (error) {
      fault = error;
      throw error;
    }
  };
  // The iteration throws the errors of both.
  const decoded = pipeline(
    Readable.from(all()),
    createInflater(compressions[name]!, { first: begun[0]! }),
    () => {},
  );
  try {
    yield* decoded as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fault ?? new ContentEncodingError(`response is not ${name}: ${(error as Error).message}`);
  } finally {
    decoded.destroy();
  }
}
