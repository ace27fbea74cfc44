import { once } from "node:events";
import type { Writable } from "node:stream";

export interface LineWriter {
  /** Resolves once the stream takes more. Rejects when it cannot be written. */
  write(lines: readonly string[]): Promise<void>;
  /** Whether the reader went away, as `head` does when it has enough. */
  isClosed(): boolean;
}

/** Writes lines no faster than they are read. */
export function createLineWriter(stream: Writable): LineWriter {
  let failure: NodeJS.ErrnoException | undefined;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    failure = error;
  });
  const isClosed = (): boolean => failure?.code === "EPIPE";
  return {
    isClosed,
    async write(lines) {
      if (lines.length === 0 || isClosed()) return;
      const isReady = stream.write(`${lines.join("\n")}\n`);
      // An error ends the wait as well and is looked at below.
      if (!isReady) await once(stream, "drain").catch(() => undefined);
      if (failure !== undefined && !isClosed()) throw failure;
    },
  };
}
