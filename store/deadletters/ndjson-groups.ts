import { createYield } from "../../base/async/yield.ts";
import type { StoredDeadLetter, StoredGroup, StoredGroups } from "./list.ts";
import { decodeLine, readForward } from "./ndjson-lines.ts";
import { findParts, openPart, type Part } from "./ndjson-parts.ts";
import { addGroup, addGroups, toExample } from "./stored.ts";

export interface GroupOptions {
  readonly file: string;
  readonly byIndex: boolean;
}

/** The groups of the lines of a part so far. */
export interface Tally {
  scannedTo: number;
  readonly groups: Map<string, StoredGroup>;
}

/** Counts what was appended since the last call, and parts from which some were removed again. */
export async function countGroups(
  { file, byIndex }: GroupOptions,
  tallies: Map<string, Tally>,
  maxBytes: number,
): Promise<StoredGroups> {
  const parts = await findParts(file);
  const present = new Set(parts.map(({ name }) => name));
  for (const name of tallies.keys()) if (!present.has(name)) tallies.delete(name);
  let bytes = 0;
  let isComplete = true;
  for (const part of parts) {
    const tally = tallies.get(part.name) ?? { scannedTo: 0, groups: new Map<string, StoredGroup>() };
    tallies.set(part.name, tally);
    if (bytes < maxBytes) bytes += await addLines({ file, part, tally, byIndex, maxBytes: maxBytes - bytes });
    if (bytes >= maxBytes) isComplete = false;
  }
  const inOrder = parts.flatMap(({ name }) => [tallies.get(name)?.groups.values() ?? []]);
  return { groups: addGroups(inOrder), isComplete };
}

interface Addition {
  readonly file: string;
  readonly part: Part;
  readonly tally: Tally;
  readonly byIndex: boolean;
  readonly maxBytes: number;
}

/** Returns the number of bytes read. */
async function addLines({ file, part, tally, byIndex, maxBytes }: Addition): Promise<number> {
  if (tally.scannedTo >= part.size) return 0;
  await using handle = await openPart(file, part, "r");
  if (handle === undefined) return 0;
  const from = tally.scannedTo;
  const yieldToEventLoop = createYield();
  for await (const { line, nextOffset } of readForward(handle, from, part.size)) {
    const letter = decodeLine(part, line);
    if (letter !== undefined) addLetter(tally, letter, byIndex, line.bytes.length + 1);
    tally.scannedTo = nextOffset;
    if (nextOffset - from >= maxBytes) break;
    const wait = yieldToEventLoop();
    if (wait !== undefined) await wait;
  }
  return tally.scannedTo - from;
}

function addLetter({ groups }: Tally, letter: StoredDeadLetter, byIndex: boolean, bytes: number): void {
  const index = byIndex ? letter.index : undefined;
  const { reason, timeMs } = letter;
  const key = JSON.stringify([reason, index]);
  const more = {
    reason,
    index,
    count: 1,
    bytes,
    oldestMs: timeMs,
    newestMs: timeMs,
    example: toExample(letter),
  };
  const known = groups.get(key);
  groups.set(key, known === undefined ? more : addGroup(known, more));
}
