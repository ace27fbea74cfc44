import type { Writable } from "node:stream";

const silent = new WeakSet<object>();

/** Whether what is written to a stream is discarded. */
export function isSilent(stream: object): boolean {
  return silent.has(stream);
}

/** Discards what is written to a stream. Returns the function that ends this. */
export function silence(stream: Writable & { isTTY?: boolean }): () => void {
  const { write } = stream;
  silent.add(stream);
  stream.write = (_chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    const onDone = typeof encoding === "function" ? encoding : done;
    if (typeof onDone === "function") process.nextTick(onDone as () => void);
    return true;
  };
  return () => {
    silent.delete(stream);
    stream.write = write;
  };
}
