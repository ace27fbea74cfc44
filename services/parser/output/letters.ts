import {
  createSharedDeadLetters,
  type DeadLetter,
  type DeadLetterBatch,
} from "../../../store/deadletters/deadletters.ts";
import { CHUNK_CHARACTERS, createOutput, type Output } from "./output.ts";

/** Keeps the letters of one batch, encoded. */
export interface LetterBox {
  add(letter: Omit<DeadLetter, "time" | "source">): void;
  dropped(): number;
  /** Ends the use of this box. */
  close(): DeadLetterBatch;
}

/** Beyond this one batch drops its letters: a 100 MiB call in a wrong format must not double its memory. */
const maxBatchCharacters = 64 * 2 ** 20;
/** Of one batch; further lines share letters. */
const maxOwnLetters = 10_000;

export function createLetterBox(source: string, now: () => number): LetterBox {
  let output: Output | undefined;
  let chunk: string[] = [];
  let chunkCharacters = 0;
  let characters = 0;
  let count = 0;
  let dropped = 0;
  const shared = createSharedDeadLetters({ maxOwn: maxOwnLetters, join: (texts) => texts.join("\n") });
  function keep(texts: readonly string[]): void {
    for (const text of texts) {
      characters += text.length;
      chunkCharacters += text.length;
      count++;
      chunk.push(text);
      if (chunkCharacters > CHUNK_CHARACTERS) closeChunk();
    }
  }
  function closeChunk(): void {
    output ??= createOutput(0);
    output.add(chunk.join(""));
    chunk = [];
    chunkCharacters = 0;
  }
  return {
    add(letter) {
      // Nothing to keep, and a million of them would push the real letters out of the file.
      if (letter.line.length === 0) return;
      if (characters > maxBatchCharacters) {
        dropped++;
        return;
      }
      keep(shared.add({ time: new Date(now()), source, ...letter }));
    },
    dropped: () => dropped,
    close() {
      keep(shared.close());
      if (chunk.length > 0) closeChunk();
      return { count, ndjson: output?.finish() ?? new Uint8Array(0) };
    },
  };
}
