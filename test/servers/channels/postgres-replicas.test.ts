import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  type ChannelStore,
  ChannelsOpenError,
  ChannelsUnavailableError,
} from "../../../store/channels/channels.ts";
import { migrate, openPostgresChannels } from "../../../store/channels/postgres/open.ts";
import { migrate as migrateInbox } from "../../../store/inbox/postgres/open.ts";
import {
  addChannel,
  addTask,
  batchOf,
  beginRun,
  Clock,
  day,
  lease,
  noCounts,
  preparedRun,
  type Running,
  succeeded,
  text,
} from "../../conformance/channels/store.ts";
import { pruneAll } from "../../conformance/channels/upkeep.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Replicas extends AsyncDisposable {
  readonly schema: string;
  readonly stores: readonly [ChannelStore, ChannelStore];
}

async function openReplicas(): Promise<Replicas> {
  const schema = `channels_${++schemas}`;
  await migrate(server, schema);
  const options = { url: server.url, schema };
  const stores = [await openPostgresChannels(options), await openPostgresChannels(options)] as const;
  return {
    schema,
    stores,
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    },
  };
}

/** Calls as many times, at the first and the second replica in turn, all at once. */
async function fromBoth<T>(
  { stores }: Replicas,
  times: number,
  call: (store: ChannelStore) => Promise<T>,
): Promise<T[]> {
  return await Promise.all(Array.from({ length: times }, (_, i) => call(stores[i % 2]!)));
}

it("give each batch to one of them, and end the run once", async () => {
  await using replicas = await openReplicas();
  const [a, b] = replicas.stores;
  const lists = Array.from({ length: 100 }, (_, i) => [`p${i}`]);
  const { channelId, taskId } = await preparedRun(a, lists);
  const leases = await fromBoth(replicas, 40, (store) =>
    store.leaseBatches({ ...lease, channelId, leaseMs: 60_000 }),
  );
  const leased = leases.flatMap(({ batches }) => batches);
  const rest = await b.leaseBatches({ ...lease, channelId, maxBatches: 1_000, leaseMs: 60_000 });
  const all = [...leased, ...rest.batches];
  expect(new Set(all.map(({ number }) => number)).size).toBe(100);
  expect(all).toHaveLength(100);
  await Promise.all(
    all.map(({ token }, i) => replicas.stores[i % 2]!.settleBatches([{ token, outcome: succeeded }])),
  );
  expect(await a.busyChannels()).toEqual([]);
  expect(await b.task(taskId)).toMatchObject({ state: "done" });
  expect(await b.statistics(`${taskId}_${day}`)).toMatchObject({
    succeeded: 100,
    settledBatches: 100,
    sent: 100,
  });
});

it("send the batches of the version before, which finds none of theirs", async () => {
  await using replicas = await openReplicas();
  const { stores, schema } = replicas;
  // Batches of different sizes have rows of their own, as those of that version have.
  const { channelId } = await preparedRun(stores[0], [["a"], ["b", "c"]]);
  const move = `WITH moved AS (DELETE FROM ${schema}.channel_payloads WHERE number = 0 RETURNING *)`;
  server.query(`${move} INSERT INTO ${schema}.channel_bodies SELECT * FROM moved`);
  const { batches } = await stores[1].leaseBatches({ ...lease, channelId, leaseMs: 60_000 });
  expect(batches.map(({ readPayload }) => text(readPayload()))).toEqual([
    '[{"push_id":"a"}]',
    '[{"push_id":"b"},{"push_id":"c"}]',
  ]);
  await stores[1].settleBatches(batches.map(({ token }) => ({ token, outcome: succeeded })));
  const left = (table: string) => server.query(`SELECT count(*) FROM ${schema}.channel_${table}`);
  expect([left("bodies"), left("payloads")]).toEqual(["0", "0"]);
});

/** A run that failed during its preparation, after it had stored batches. */
async function failedRun(
  store: ChannelStore,
  lists: readonly (readonly string[])[],
  name: string,
): Promise<Running> {
  const running = await beginRun(store, name);
  const { token } = running.preparation;
  await store.appendBatches(token, {
    afterNumber: 0,
    batches: lists.map(batchOf),
    cursor: "next",
    isLast: false,
    resumeData: null,
    counted: noCounts,
  });
  await store.failRun(token, "no recipients");
  return running;
}

it("delete the payloads that the version before has left", async () => {
  const schema = `channels_${++schemas}`;
  await migrate(server, schema);
  const clock = new Clock();
  await using store = await openPostgresChannels({
    url: server.url,
    schema,
    now: clock.now,
    leaseNow: clock.leaseNow,
    retentionMs: () => 1_000,
  });
  const lists = Array.from({ length: 1_001 }, (_, i) => (i % 2 === 0 ? [`p${i}`] : [`p${i}`, `q${i}`]));
  await failedRun(store, lists, "with batches");
  const { run, taskId } = await failedRun(store, [["a"]], "without batches");
  await store.startRun(taskId, { day });
  const tables = `${schema}.channel`;
  // The version before deletes what stopped runs left, and later the batches of one of them.
  server.query(`DELETE FROM ${tables}_bodies; UPDATE ${tables}_runs SET has_bodies = 0`);
  server.query(`DELETE FROM ${tables}_batches WHERE run_seq = ${run.seq}`);
  server.query(`UPDATE ${tables}_runs SET is_pruned = 1 WHERE seq = ${run.seq}`);
  expect(server.query(`SELECT count(*) FROM ${tables}_payloads`)).toBe("1002");
  clock.ms += 1_001;
  expect(await pruneAll(store)).toEqual({ batches: 1_001, runs: 1 });
  expect(server.query(`SELECT count(*) FROM ${tables}_payloads`)).toBe("0");
});

/** Extends all batches while some are settled. Those with odd numbers have one lease, the others another. */
async function extendAndSettle({ stores: [a, b] }: Replicas): Promise<void> {
  const lists = Array.from({ length: 1_000 }, (_, i) => [`p${i}`]);
  const { channelId } = await preparedRun(a, lists);
  const request = { ...lease, channelId, maxBatches: 1_000, leaseMs: 60_000 };
  const { batches } = await a.leaseBatches(request);
  const [odd, even] = [1, 0].map((rest) => batches.filter(({ number }) => number % 2 === rest));
  await a.settleBatches(even!.map(({ token }) => ({ token, outcome: { kind: "released" } })));
  const again = await a.leaseBatches(request);
  const held = [...odd!, ...again.batches].toSorted((one, other) => one.number - other.number);
  const tokens = held.map(({ token }) => token);
  // The first batch of each part has an odd number, and the first of all an even one.
  for (let from = 1; from < tokens.length; from += 200) {
    const settlements = tokens.slice(from, from + 200).map((token) => ({ token, outcome: succeeded }));
    await Promise.all([a.extendBatches(tokens, 60_000), b.settleBatches(settlements)]);
  }
}

/** Counts deadlocks so far. A connection reports its own by the time when it has ended. */
async function countDeadlocks(): Promise<number> {
  const others = "backend_type = 'client backend' AND pid <> pg_backend_pid()";
  const connections = () => server.query(`SELECT count(*) FROM pg_stat_activity WHERE ${others}`);
  await vi.waitFor(() => expect(connections()).toBe("0"), { timeout: 30_000 });
  return Number(server.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"));
}

it("extend and settle batches of several leases without deadlocks", async () => {
  const before = await countDeadlocks();
  {
    await using replicas = await openReplicas();
    await extendAndSettle(replicas);
  }
  expect(await countDeadlocks()).toBe(before);
});

it("claim the time of a task once", async () => {
  await using replicas = await openReplicas();
  const { taskId } = await addTask(replicas.stores[0], await addChannel(replicas.stores[0]), 1_000);
  const claim = { taskId, nextRunAtMs: 1_000, followingAtMs: null, run: { day } };
  const results = await fromBoth(replicas, 20, (store) => store.claimDueTask(claim));
  expect(results.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
});

it("share the rate of a channel", async () => {
  await using replicas = await openReplicas();
  const channelId = await addChannel(replicas.stores[0]);
  const asked = { channelId, perSecond: 100, held: 0, wanted: 100, leaseMs: 10_000 };
  const shares = await fromBoth(replicas, 40, (store) => store.shareRate(asked));
  expect(shares.reduce((sum, { held }) => sum + held, 0)).toBe(100);
  expect(new Set(shares.map(({ token }) => token)).size).toBe(40);
  const again = await Promise.all(
    shares.map(({ token, held, fair }, i) => {
      return replicas.stores[i % 2]!.shareRate({ ...asked, token, held: Math.min(held, fair) });
    }),
  );
  expect(again.reduce((sum, { held }) => sum + held, 0)).toBeLessThanOrEqual(100);
});

it("live beside the inbox in one schema", async () => {
  const schema = `channels_${++schemas}`;
  expect(await migrateInbox(server, schema)).toEqual({ from: 0, to: 6 });
  const both = await Promise.all([migrate(server, schema), migrate(server, schema)]);
  expect(both.map(({ from }) => from).toSorted()).toEqual([0, 6]);
  await using store = await openPostgresChannels({ url: server.url, schema });
  expect(await store.dueTasks(1)).toEqual({ due: [], nextAtMs: null });
});

it("report a schema that was never migrated, and an unavailable server", async () => {
  const never = openPostgresChannels({ url: server.url, schema: "never_migrated" });
  await expect(never).rejects.toThrow(ChannelsOpenError);
  await expect(never).rejects.toThrow("run engage migrate");
  const away = openPostgresChannels({ url: "postgresql://engage@127.0.0.1:1/postgres" });
  await expect(away).rejects.toThrow(ChannelsUnavailableError);
});
