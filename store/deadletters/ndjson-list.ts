import { createSerial } from "../../base/async/serial.ts";
import { createYield } from "../../base/async/yield.ts";
import { DeadLetterCursorError, DeadLettersUnavailableError, removedStart } from "./deadletters.ts";
import type { DeadLetterList, StoredDeadLetter, StoredFilter, StoredPage, StoredRequest } from "./list.ts";
import { countGroups, type Tally } from "./ndjson-groups.ts";
import { decodeLine, type Handle, readBackward, readForward } from "./ndjson-lines.ts";
import { findParts, openPart, type Part, readLineAt } from "./ndjson-parts.ts";
import { matches } from "./stored.ts";

export interface NdjsonListOptions {
  /** The file that `openNdjsonDeadLetters` writes. */
  readonly file: string;
  /** Whether groups are counted for each index. */
  readonly byIndex: boolean;
  /** The bytes that one call reads before it returns. */
  readonly maxScanBytes?: number;
}

/** About 40 ms of processor time. */
const defaultScanBytes = 8 * 2 ** 20;
/** A count decodes without keeping anything. */
const countFactor = 2;

/** A place between two lines of a part. */
interface Place {
  /** The name of the part. */
  readonly part: string;
  readonly offset: number;
}

/**
 * Lists the dead letters of a file and its rotated files. A removed one stays in its place, with `done`
 * instead of `time`: that is one small write, after which every reader of the file sees it.
 */
export function createNdjsonList(options: NdjsonListOptions): DeadLetterList {
  const { file, maxScanBytes = defaultScanBytes } = options;
  const tallies = new Map<string, Tally>();
  const inTurn = createSerial();
  const get = (id: string): Promise<StoredDeadLetter | null> => asUnavailable(() => findOne(file, id));
  return {
    get,
    async list(filter, request) {
      const { after } = request;
      const place = after === undefined ? undefined : decodePlace(after);
      if (filter.id !== undefined) return pageOfOne(await get(filter.id), filter);
      return asUnavailable(() => listPage(file, filter, { ...request, place, maxBytes: maxScanBytes }));
    },
    async count(filter, after) {
      const place = after === undefined ? undefined : decodePlace(after);
      if (filter.id !== undefined) {
        return { count: pageOfOne(await get(filter.id), filter).items.length, next: null };
      }
      let count = 0;
      const maxBytes = countFactor * maxScanBytes;
      const next = await asUnavailable(() =>
        visit(file, { order: "oldest", place, maxBytes }, (letter) => {
          if (matches(letter, filter)) count++;
          return true;
        }),
      );
      return { count, next };
    },
    groups: () =>
      inTurn(() => asUnavailable(() => countGroups(options, tallies, countFactor * maxScanBytes))),
    remove: (ids) => inTurn(() => asUnavailable(() => removeAll(file, ids, (part) => tallies.delete(part)))),
    async [Symbol.asyncDispose]() {},
  };
}

function pageOfOne(letter: StoredDeadLetter | null, filter: StoredFilter): StoredPage {
  return { items: letter !== null && matches(letter, filter) ? [letter] : [], next: null };
}

interface Visit {
  readonly order: StoredRequest["order"];
  readonly place: Place | undefined;
  readonly maxBytes: number;
}

async function listPage(
  file: string,
  filter: StoredFilter,
  { limit, ...options }: Pick<StoredRequest, "limit"> & Visit,
): Promise<StoredPage> {
  const items: StoredDeadLetter[] = [];
  const next = await visit(file, options, (letter) => {
    if (matches(letter, filter)) items.push(letter);
    return items.length < limit;
  });
  return { items, next };
}

/**
 * Visits dead letters from a place on, until the visitor returns false or many bytes are read.
 * @returns the place of the next one; null at the end
 */
async function visit(
  file: string,
  { order, place, maxBytes }: Visit,
  visitor: (letter: StoredDeadLetter) => boolean,
): Promise<string | null> {
  const oldestFirst = await findParts(file);
  const parts = order === "oldest" ? oldestFirst : oldestFirst.toReversed();
  const at = place === undefined ? 0 : parts.findIndex(({ name }) => name === place.part);
  // The oldest files are deleted first: nothing is older, and what is newer begins with the first file.
  if (at < 0 && order === "newest") return null;
  const read = order === "oldest" ? readForward : readBackward;
  let bytes = 0;
  const wanted = parts.slice(Math.max(0, at));
  for (const part of wanted) {
    await using handle = await openPart(file, part, "r");
    if (handle === undefined) continue;
    const start = part.name === place?.part ? place.offset : order === "oldest" ? 0 : part.size;
    const yieldToEventLoop = createYield();
    for await (const { line, nextOffset } of read(handle, start, part.size)) {
      bytes += line.bytes.length + 1;
      const letter = decodeLine(part, line);
      const goesOn = (letter === undefined || visitor(letter)) && bytes < maxBytes;
      if (!goesOn) {
        const isEnd = part === wanted.at(-1) && nextOffset === (order === "oldest" ? part.size : 0);
        return isEnd ? null : encodePlace({ part: part.name, offset: nextOffset });
      }
      const wait = yieldToEventLoop();
      if (wait !== undefined) await wait;
    }
  }
  return null;
}

async function findOne(file: string, id: string): Promise<StoredDeadLetter | null> {
  const place = placeOfId(id);
  const part = place && (await findParts(file)).find(({ name }) => name === place.part);
  if (part === undefined) return null;
  await using handle = await openPart(file, part, "r");
  return (handle && (await readChecked(handle, part, id))) ?? null;
}

/** Returns the dead letter if its line is still the one of the id. */
async function readChecked(handle: Handle, part: Part, id: string): Promise<StoredDeadLetter | undefined> {
  const line = await readLineAt(handle, placeOfId(id)!.offset);
  const letter = line && decodeLine(part, line);
  return letter?.id === id ? letter : undefined;
}

async function removeAll(
  file: string,
  ids: readonly string[],
  changed: (part: string) => void,
): Promise<number> {
  const byPart = Map.groupBy(ids, (id) => placeOfId(id)?.part);
  let removed = 0;
  for (const part of await findParts(file)) {
    const inside = byPart.get(part.name);
    if (inside === undefined) continue;
    await using handle = await openPart(file, part, "r+");
    if (handle === undefined) continue;
    changed(part.name);
    for (const id of new Set(inside)) {
      if ((await readChecked(handle, part, id)) === undefined) continue;
      await handle.write(removedStart, placeOfId(id)!.offset);
      removed++;
    }
    await handle.datasync();
  }
  return removed;
}

function encodePlace({ part, offset }: Place): string {
  return `${part}.${offset.toString(36)}`;
}

/** @throws DeadLetterCursorError */
function decodePlace(text: string): Place {
  const [, part, offset] = /^([0-9a-z]{1,16}-[0-9a-z]{1,7})\.([0-9a-z]{1,10})$/.exec(text) ?? [];
  if (part === undefined) {
    throw new DeadLetterCursorError(`page cursor ${JSON.stringify(text)} is not one of this list`);
  }
  return { part, offset: Number.parseInt(offset!, 36) };
}

function placeOfId(id: string): Place | undefined {
  const [, part, offset] = /^([0-9a-z]{1,16}-[0-9a-z]{1,7})\.([0-9a-z]{1,10})\.[0-9a-z]{1,7}$/.exec(id) ?? [];
  return part === undefined ? undefined : { part, offset: Number.parseInt(offset!, 36) };
}

async function asUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new DeadLettersUnavailableError("the dead letters cannot be read", { cause: error });
  }
}
