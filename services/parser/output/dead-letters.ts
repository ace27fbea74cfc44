import {
  createSharedDeadLetters,
  type DeadLetter,
  type DeadLetterBatch,
} from "../../../store/deadletters/deadletters.ts";
import { ByteSink, chunkCharacters } from "./byte-sink.ts";

/** Collects the dead letters of one batch as NDJSON. */
export interface DeadLetterBuffer {
  add(deadLetter: Omit<DeadLetter, "time" | "source">): void;
  /** Returns how many dead letters were dropped. */
  dropped(): number;
  /** Ends the use of this buffer. */
  close(): DeadLetterBatch;
}

/** Dead letters of a batch after this many characters are dropped: a call of 100 MiB in a wrong format must not double its memory. */
const maxBatchCharacters = 64 * 2 ** 20;
/** Lines of a batch after this many share dead letters. */
const maxOwnDeadLetters = 10_000;

export function createDeadLetterBuffer(source: string, now: () => number): DeadLetterBuffer {
  const sink = new ByteSink(0);
  let chunk: string[] = [];
  let chunkLength = 0;
  let characters = 0;
  let count = 0;
  let dropped = 0;
  const shared = createSharedDeadLetters({ maxOwn: maxOwnDeadLetters, join: (texts) => texts.join("\n") });
  function append(texts: readonly string[]): void {
    for (const text of texts) {
      characters += text.length;
      chunkLength += text.length;
      count++;
      chunk.push(text);
      if (chunkLength > chunkCharacters) writeChunk();
    }
  }
  function writeChunk(): void {
    sink.text(chunk.join(""));
    chunk = [];
    chunkLength = 0;
  }
  return {
    add(deadLetter) {
      // An empty line has no content to recover, and a million of them would displace other dead letters from the file.
      if (deadLetter.line.length === 0) return;
      if (characters > maxBatchCharacters) {
        dropped++;
        return;
      }
      append(shared.add({ time: new Date(now()), source, ...deadLetter }));
    },
    dropped: () => dropped,
    close() {
      append(shared.close());
      writeChunk();
      return { count, ndjson: sink.finish() };
    },
  };
}
