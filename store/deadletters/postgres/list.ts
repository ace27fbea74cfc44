import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { createLateExecutor } from "../../sql/postgres/late-executor.ts";
import { toStorableText } from "../../sql/values.ts";
import { DeadLetterCursorError } from "../deadletters.ts";
import type { DeadLetterList, StoredDeadLetter, StoredFilter, StoredGroup } from "../list.ts";
import { decodeDeadLetter, matches, toExample } from "../stored.ts";
import type { GroupRow, Key, StoredRow } from "./list-operations.ts";
import { deadLetterStore } from "./store.ts";

export interface PostgresListOptions {
  readonly connection: PostgresConnection;
  /** The schema, whose tables `migrate` has created. */
  readonly schema: string;
  /** The name of the list that `openPostgresDeadLetters` writes. */
  readonly list: string;
  /** Whether groups are counted for each index. */
  readonly byIndex: boolean;
  /** The number of dead letters that one call reads before it returns. */
  readonly maxScanned?: number;
}

const defaultScanned = 5_000;
/** A count returns no content. */
const countFactor = 4;
const groupFactor = 20;
/** Calls that wait for the connection; further ones are refused. */
const maxWaiting = 64;

/** Lists the dead letters in a PostgreSQL schema. Connects with the first call. */
export function createPostgresList(options: PostgresListOptions): DeadLetterList {
  const { connection, schema, list, byIndex, maxScanned = defaultScanned } = options;
  const executor = createLateExecutor(
    deadLetterStore,
    { ...connection, maxConnections: 1 },
    { schema, maxWaiting },
  );
  const call: typeof executor.call = (name, nowMs, args, signal) => executor.call(name, nowMs, args, signal);
  async function get(id: string): Promise<StoredDeadLetter | null> {
    const key = keyOf(id);
    const row = key && (await call("get", 0, [list, key], undefined));
    return (row && toLetter(row)) ?? null;
  }
  async function findOne(filter: StoredFilter, id: string): Promise<readonly StoredDeadLetter[]> {
    const letter = await get(id);
    return letter !== null && matches(letter, filter) ? [letter] : [];
  }
  return {
    get,
    async list(filter, { limit, after, order }) {
      if (filter.id !== undefined) return { items: await findOne(filter, filter.id), next: null };
      const search = { list, filter: storable(filter), order, after: decodePlace(after), window: maxScanned };
      const { rows, next } = await call("find", 0, [{ ...search, limit }], undefined);
      return { items: rows.flatMap((row) => toLetter(row) ?? []), next: encodePlace(next) };
    },
    async count(filter, after) {
      if (filter.id !== undefined) return { count: (await findOne(filter, filter.id)).length, next: null };
      const window = countFactor * maxScanned;
      const place = decodePlace(after);
      const search = { list, filter: storable(filter), order: "oldest", after: place, window } as const;
      const { count, next } = await call("count", 0, [search], undefined);
      return { count, next: encodePlace(next) };
    },
    async groups() {
      const request = { list, byIndex, window: groupFactor * maxScanned };
      const { groups, isComplete } = await call("groups", 0, [request], undefined);
      return { groups: groups.flatMap((row) => toGroup(row) ?? []), isComplete };
    },
    async remove(ids) {
      const keys = ids.flatMap((id) => keyOf(id) ?? []);
      return keys.length === 0 ? 0 : await call("remove", 0, [list, keys], undefined);
    },
    [Symbol.asyncDispose]: () => executor[Symbol.asyncDispose](),
  };
}

function toLetter(row: StoredRow): StoredDeadLetter | undefined {
  return decodeDeadLetter(idOf(row), row.content);
}

function toGroup(row: GroupRow): StoredGroup | undefined {
  const { reason, index, count, bytes, oldest, newest } = row;
  const example = toLetter(row);
  return (
    example && {
      reason,
      index: index ?? undefined,
      count,
      bytes,
      oldestMs: Date.parse(oldest),
      newestMs: Date.parse(newest),
      example: toExample(example),
    }
  );
}

/** PostgreSQL's text can't contain NUL. */
function storable(filter: StoredFilter): StoredFilter {
  const { reason, text, index } = filter;
  return {
    ...filter,
    ...(reason !== undefined && { reason: toStorableText(reason) }),
    ...(text !== undefined && { text: toStorableText(text) }),
    ...(index !== undefined && { index: toStorableText(index) }),
  };
}

function idOf({ part, number }: Key): string {
  return `${part}.${number}`;
}

function keyOf(id: string): Key | undefined {
  const [, part, number] = /^(\d{1,15})\.(\d{1,15})$/.exec(id) ?? [];
  return part === undefined ? undefined : { part: Number(part), number: Number(number) };
}

function encodePlace(key: Key | null): string | null {
  return key === null ? null : idOf(key);
}

/** @throws DeadLetterCursorError */
function decodePlace(text: string | undefined): Key | undefined {
  const key = text === undefined ? undefined : keyOf(text);
  if (text === undefined || key !== undefined) return key;
  throw new DeadLetterCursorError(`page cursor ${JSON.stringify(text)} is not one of this list`);
}
