import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import type { PreparedEvent } from "../../load.ts";
import { shardOfUser } from "../shards.ts";

const lineFeed = 10;
/** The user of a line is within this many bytes. */
const headBytes = 100;
const userOf = /^\{"e":\d+,"t":-?\d+,"r":-?\d+,"u":(\d+)[,}]/;

/**
 * Divides lines of events among the shards of their users, without parsing them. All parts must be read
 * at the same time; an error of the source is an error of each part.
 */
export function divideLines(source: AsyncIterable<Buffer>, shards: number): readonly Readable[] {
  const parts = Array.from({ length: shards }, () => new PassThrough());
  write(source, parts).then(
    () => {
      for (const part of parts) part.end();
    },
    (error: Error) => {
      for (const part of parts) part.destroy(error);
    },
  );
  return parts;
}

async function write(source: AsyncIterable<Buffer>, parts: readonly PassThrough[]): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    rest = bytes.subarray(end);
    await writeLines(bytes.subarray(0, end), parts);
  }
  if (rest.length > 0) await writeLines(rest, parts);
}

async function writeLines(bytes: Buffer, parts: readonly PassThrough[]): Promise<void> {
  const lines = parts.map((): Buffer[] => []);
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start);
    const end = found < 0 ? bytes.length : found + 1;
    if (end - start > 1)
      lines[shardOf(bytes.subarray(start, end), parts.length)]!.push(bytes.subarray(start, end));
    start = end;
  }
  for (const [shard, part] of parts.entries()) {
    if (part.destroyed)
      throw part.errored ?? new Error(`the rows of shard ${shard + 1} are not wanted any more`);
    if (lines[shard]!.length > 0 && !part.write(Buffer.concat(lines[shard]!))) await drained(part);
  }
}

async function drained(part: PassThrough): Promise<void> {
  const left = new AbortController();
  try {
    await Promise.race(["drain", "close"].map((event) => once(part, event, { signal: left.signal })));
  } finally {
    left.abort();
  }
}

function shardOf(line: Buffer, shards: number): number {
  const head = line.toString("latin1", 0, Math.min(line.length, headBytes));
  const user = userOf.exec(head)?.[1] ?? (JSON.parse(line.toString("utf8")) as PreparedEvent).u;
  return shardOfUser(Number(user), shards);
}
