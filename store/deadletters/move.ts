import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import type { PostgresConnection } from "../sql/postgres/connect.ts";
import { createLateExecutor } from "../sql/postgres/late-executor.ts";
import { removedStart } from "./deadletters.ts";
import { toStorable } from "./postgres/storable.ts";
import { deadLetterStore } from "./postgres/store.ts";

export interface MovedDeadLetters {
  readonly file: string;
  /** The number of rotated files. */
  readonly keepFiles: number;
  /** The random name of the data folder. */
  readonly source: string;
  readonly list: string;
  readonly maxBytes: number;
  readonly connection: PostgresConnection & { readonly schema: string };
}

const chunkBytes = 1_048_576;
const lineFeed = 0x0a;

/**
 * Appends the dead letters of files to a list in a PostgreSQL schema. When it is done again within a day, those that
 * were appended are not appended twice.
 * @returns the number of dead letters
 */
export async function moveDeadLetters(moved: MovedDeadLetters): Promise<number> {
  const { file, keepFiles, list, maxBytes, connection } = moved;
  const { schema } = connection;
  await using executor = createLateExecutor(
    deadLetterStore,
    { ...connection, maxConnections: 1 },
    { schema, maxWaiting: 1 },
  );
  const writer = writerOf(moved);
  let number = 0;
  let letters = 0;
  const rotated = Array.from({ length: keepFiles }, (_, at) => `${file}.${keepFiles - at}`);
  for (const path of [...rotated, file].filter((name) => existsSync(name))) {
    for await (const chunk of wholeChunks(path)) {
      const lines = withoutRemoved(chunk);
      number++;
      for (const byte of lines) if (byte === lineFeed) letters++;
      const write = { list, writer, number, maxBytes, ndjson: toStorable(lines) };
      await executor.call("append", 0, [write], undefined);
    }
  }
  return letters;
}

/** Leaves out the lines of removed dead letters. */
function withoutRemoved(lines: Buffer): Buffer {
  if (!lines.includes(removedStart)) return lines;
  const kept = lines
    .toString("latin1")
    .split(/(?<=\n)/)
    .filter((line) => !line.startsWith(removedStart));
  return Buffer.from(kept.join(""), "latin1");
}

/** Returns the number of a process that writes this list of this folder, always the same. */
function writerOf({ source, list }: MovedDeadLetters): number {
  return createHash("sha256").update(`${source} ${list}`).digest().readUIntBE(0, 6);
}

/** Reads whole lines; an incomplete last one, which was never acknowledged, is left out. */
async function* wholeChunks(path: string): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) yield bytes.subarray(0, end);
    rest = bytes.subarray(end);
  }
}
