import { markAsUntransferable } from "node:worker_threads";
import { ByteSink, chunkCharacters } from "../../../base/bytes/byte-sink.ts";
import {
  createSharedDeadLetters,
  type DeadLetter,
  type DeadLetterBatch,
} from "../../../store/deadletters/deadletters.ts";

/** Collects the dead letters of one batch as NDJSON. */
export interface DeadLetterBuffer {
  add(deadLetter: Omit<DeadLetter, "time" | "source">): void;
  /** Returns how many dead letters were dropped. */
  dropped(): number;
  /** Ends the use of this buffer. */
  close(): DeadLetterBatch;
}

/**
 * Dead letters of a batch after this many characters are dropped: a call of 100 MiB in a wrong format must not double
 * its memory.
 */
const maxBatchCharacters = 64 * 2 ** 20;
/** Lines of a batch after this many share dead letters. */
const maxOwnDeadLetters = 10_000;

const noDeadLetters: DeadLetterBatch = { count: 0, ndjson: new Uint8Array(0) };
// Workers transfer what they return; this they copy, as it is returned again.
markAsUntransferable(noDeadLetters.ndjson.buffer);

/** Most batches have no dead letters, so what collects them is created for the first one. */
export function createDeadLetterBuffer(source: string, now: () => number): DeadLetterBuffer {
  let writer: DeadLetterWriter | undefined;
  return {
    add(deadLetter) {
      // An empty line has no content to recover, and a million of them would displace other dead letters from the file.
      if (deadLetter.line.length === 0) return;
      writer ??= new DeadLetterWriter();
      writer.add({ time: new Date(now()), source, ...deadLetter });
    },
    dropped: () => writer?.dropped ?? 0,
    close: () => writer?.close() ?? noDeadLetters,
  };
}

class DeadLetterWriter {
  dropped = 0;
  readonly #sink = new ByteSink(0);
  readonly #shared = createSharedDeadLetters({
    maxOwn: maxOwnDeadLetters,
    join: (texts) => texts.join("\n"),
  });
  #chunk: string[] = [];
  #chunkLength = 0;
  #characters = 0;
  #count = 0;

  add(deadLetter: DeadLetter): void {
    if (this.#characters > maxBatchCharacters) this.dropped++;
    else this.#append(this.#shared.add(deadLetter));
  }

  close(): DeadLetterBatch {
    this.#append(this.#shared.close());
    this.#writeChunk();
    return { count: this.#count, ndjson: this.#sink.finish() };
  }

  #append(texts: readonly string[]): void {
    for (const text of texts) {
      this.#characters += text.length;
      this.#chunkLength += text.length;
      this.#count++;
      this.#chunk.push(text);
      if (this.#chunkLength > chunkCharacters) this.#writeChunk();
    }
  }

  #writeChunk(): void {
    this.#sink.text(this.#chunk.join(""));
    this.#chunk = [];
    this.#chunkLength = 0;
  }
}
