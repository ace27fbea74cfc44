import { ContentEncodingError, type Decoder, openDecoder, readContentEncoding } from "./content-encoding.ts";

export interface ResponseBody {
  /** The beginning of the decoded body. */
  readonly text: string;
  /** True if the body is longer than what is read. */
  readonly isTruncated: boolean;
  /** The reason why the body cannot be read; the text is empty then. */
  readonly bodyFault?: string | undefined;
}

/** The bytes by which an encoded body may be longer than the decoded one. */
const slackBytes = 4_096;

/** Reads the beginning of a body, with its content encoding undone. */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #done: (body: ResponseBody) => void;
  readonly #decoder: Decoder | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #cameBytes = 0;
  #isDone = false;

  /**
   * @param encoding the header Content-Encoding
   * @param maxBytes the limit, as received and decoded
   * @param done receives the body once: after `end`, or earlier if it cannot be read or is longer than the limit
   */
  constructor(encoding: string | undefined, maxBytes: number, done: (body: ResponseBody) => void) {
    this.#maxBytes = maxBytes;
    this.#done = done;
    try {
      const encodings = readContentEncoding(encoding);
      if (encodings.length === 0) return;
      this.#decoder = openDecoder(encodings, {
        data: (chunk) => this.#take(chunk),
        end: () => this.#finish(false),
        error: ({ message }) => this.#finish(false, message),
      });
    } catch (error) {
      if (!(error instanceof ContentEncodingError)) throw error;
      this.#finish(false, error.message);
    }
  }

  /** The number of bytes that were received. */
  get cameBytes(): number {
    return this.#cameBytes;
  }

  /** Takes bytes as they were received. */
  write(chunk: Buffer): void {
    this.#cameBytes += chunk.length;
    if (this.#isDone) return;
    if (this.#decoder === undefined) this.#take(chunk);
    // Bytes that decode to nothing, such as empty members of gzip.
    else if (this.#cameBytes > this.#maxBytes + slackBytes) this.#finish(true);
    else this.#decoder.write(chunk);
  }

  end(): void {
    if (this.#decoder === undefined) this.#finish(false);
    else this.#decoder.end();
  }

  #take(chunk: Buffer): void {
    if (this.#isDone) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#finish(true);
  }

  #finish(isTruncated: boolean, bodyFault?: string): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const text = bodyFault === undefined ? this.#text() : "";
    this.#done({ text, isTruncated, bodyFault });
    this.#decoder?.destroy();
  }

  #text(): string {
    const [first = Buffer.alloc(0)] = this.#chunks;
    const whole = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    return whole.subarray(0, this.#maxBytes).toString("utf8");
  }
}
