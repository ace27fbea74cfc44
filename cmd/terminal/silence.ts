import type { Writable } from "node:stream";

/** Discards what is written to a stream. Returns the function that ends this. */
export function silence(stream: Writable & { isTTY?: boolean }): () => void {
  const { write } = stream;
  stream.write = (_chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    const onDone = typeof encoding === "function" ? encoding : done;
    if (typeof onDone === "function") process.nextTick(onDone as () => void);
    return true;
  };
  return () => {
    stream.write = write;
  };
}
