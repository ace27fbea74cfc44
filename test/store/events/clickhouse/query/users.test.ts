import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Connection } from "../../../../../store/events/clickhouse/connection.ts";
import type { ProjectSnapshot } from "../../../../../store/events/clickhouse/layout.ts";
import { createSpools } from "../../../../../store/events/clickhouse/query/spool.ts";
import { streamUsers } from "../../../../../store/events/clickhouse/query/users.ts";
import type { UserChunk, UserValues } from "../../../../../store/events/events.ts";
import { createQuerySlots } from "../../../../../store/events/query-slots.ts";
import { usersOfChunk } from "../../../../conformance/events/collect-users.ts";
import { scanOf } from "../../../../conformance/events/scan-world.ts";
import { noSignal } from "../../../../conformance/events/world.ts";

/** A server whose statements return some rows, and then wait. */
interface SlowServer {
  readonly url: string;
  sql: string;
  /** The result of the one statement. */
  result: ServerResponse | undefined;
  /** The number of requests to kill a statement. */
  kills: number;
}

const snapshot: ProjectSnapshot = {
  projectId: 1,
  schema: { version: 1, events: new Map(), properties: new Map() },
  generation: 1,
  watermark: 1,
  hiddenBatches: [],
  mayHaveUpdatable: false,
  hiddenEvents: [],
  dropped: undefined,
  deletions: [],
  cohorts: [],
};

const rowsOf = (...ids: readonly number[]): string => ids.map((id) => `["${id}","a${id}",null]\n`).join("");

async function openServer(rows: string): Promise<SlowServer> {
  const server = createServer(async (request, response) => {
    const sql = Buffer.concat(await request.toArray()).toString();
    if (sql.includes("KILL QUERY")) {
      opened.kills++;
      response.end();
      return;
    }
    opened.sql = sql;
    opened.result = response;
    response.write(rows);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const opened: SlowServer = { url: `http://127.0.0.1:${port}`, sql: "", result: undefined, kills: 0 };
  return opened;
}

async function openList(shards: readonly string[], limit: number, values: UserValues = {}) {
  const servers = await Promise.all(shards.map(openServer));
  const urls = servers.map(({ url }) => url);
  const connection = new Connection({ shards: urls, database: "d", user: "u", password: "" });
  onTestFinished(() => connection[Symbol.asyncDispose]());
  const slots = createQuerySlots({ maxQueries: 1, maxWaiting: 0 });
  const spools = createSpools({ folder: join(tmpdir(), "never-created"), maxBytes: 0 });
  const source = { connection, slots, spools, snapshot: async () => snapshot };
  const scan = { scan: scanOf(), group: [], properties: [], ...values, limit };
  const list = streamUsers(source, scan, noSignal())[Symbol.asyncIterator]();
  return { list, servers, slots };
}

const idsOf = ({ value }: IteratorResult<UserChunk>): number[] =>
  usersOfChunk(value).map(({ userId }) => Number(userId));

describe("a list of users that are decoded while they arrive", () => {
  it.each([
    [
      "a limit of time after a row",
      `${rowsOf(3)}Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)\n`,
      "EventsUnavailableError",
    ],
    [
      "a limit of memory within a row",
      '["3","aCode: 241. DB::Exception: Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n',
      "EventsMemoryError",
    ],
    [
      "a limit of memory as JSON",
      '{"exception": "Code: 241. DB::Exception: Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)"}\n',
      "EventsMemoryError",
    ],
  ])("fails with the error of the server at %s", async (_what, text, name) => {
    const { list, servers, slots } = await openList([rowsOf(1, 2)], 10);
    expect(idsOf(await list.next())).toEqual([1, 2]);
    const failed = expect(list.next()).rejects.toMatchObject({ name });
    const result = servers[0]!.result!;
    result.write(text, () => result.socket!.end());
    await failed;
    expect(slots.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it("ends its statement and frees its slot when its reader leaves", async () => {
    const { list, servers, slots } = await openList([rowsOf(1, 2)], 10);
    expect(idsOf(await list.next())).toEqual([1, 2]);
    expect(slots.counts().running).toBe(1);
    await list.return!();
    expect(servers[0]!.kills).toBe(1);
    await vi.waitUntil(() => servers[0]!.result!.destroyed);
    expect(slots.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it("ends the statements of shards when it has all users", async () => {
    const { list, servers, slots } = await openList([rowsOf(1, 4), rowsOf(2, 3, 5)], 3);
    expect(idsOf(await list.next())).toEqual([1, 2, 3]);
    expect((await list.next()).done).toBe(true);
    expect(servers.map(({ kills }) => kills)).toEqual([1, 1]);
    expect(slots.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it.each<[UserValues["ids"], string, { accountId: string | null; distinctId: string | null }]>([
    [undefined, '["7","a7","v7"]\n', { accountId: "a7", distinctId: "v7" }],
    [["account_id"], '["7","a7"]\n', { accountId: "a7", distinctId: null }],
    [["distinct_id"], '["7","v7"]\n', { accountId: null, distinctId: "v7" }],
    [[], '["7"]\n', { accountId: null, distinctId: null }],
  ])("asks the server for the ids %j", async (ids, row, expected) => {
    const { list, servers } = await openList([row], 1, ids && { ids });
    const { value } = await list.next();
    expect(usersOfChunk(value)).toEqual([{ userId: 7n, properties: {}, ...expected }]);
    const { sql } = servers[0]!;
    expect([sql.includes("account_id"), sql.includes("distinct_id")]).toEqual(
      [expected.accountId, expected.distinctId].map((id) => id !== null),
    );
  });

  it("kills no statement of a single shard, which returns no others", async () => {
    const { list, servers } = await openList([rowsOf(1, 2)], 2);
    expect(idsOf(await list.next())).toEqual([1, 2]);
    const end = list.next();
    servers[0]!.result!.end();
    expect((await end).done).toBe(true);
    expect(servers[0]!.kills).toBe(0);
  });
});
