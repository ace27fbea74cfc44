import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { moveChannels } from "../../../store/channels/move.ts";
import { migrate as migrateChannels, openPostgresChannels } from "../../../store/channels/postgres/open.ts";
import { openSqliteChannels } from "../../../store/channels/sqlite/open.ts";
import { moveDeadLetters } from "../../../store/deadletters/move.ts";
import { openNdjsonDeadLetters } from "../../../store/deadletters/ndjson.ts";
import { migrate as migrateDeadLetters } from "../../../store/deadletters/postgres/open.ts";
import { moveInbox } from "../../../store/inbox/move.ts";
import { migrate as migrateInbox, openPostgresInbox } from "../../../store/inbox/postgres/open.ts";
import { openSqliteInbox } from "../../../store/inbox/sqlite/open.ts";
import { moveIntake } from "../../../store/intake/postgres/move.ts";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
import { addChannel, leaseAll, preparedRun } from "../../conformance/channels/store.ts";
import { batchOf, pushIdsOf } from "../../conformance/inbox/batches.ts";
import { keysOf, place, windowMs } from "../../conformance/intake/store.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { createSchema } from "../intake/intake-schema.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function openFolder(): Promise<string> {
  const folder = await openTempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

const inSchema = (migrate: (connection: { url: string }, schema: string) => Promise<unknown>) => async () => {
  const schema = `moved_${++schemas}`;
  await migrate(server, schema);
  return { url: server.url, schema };
};
const small = { reserveBytes: 0, minFreeBytes: 0 };

it("moves an inbox once, with what waits, replies and numbers", async () => {
  const path = join(await openFolder(), "inbox.db");
  const lease = { target: "t", maxElements: 10, leaseMs: 60_000 };
  const requested = batchOf(["a", "b"], { requestId: "once" });
  let last: string;
  {
    await using inbox = await openSqliteInbox({ path, ...small });
    await inbox.accept(requested);
    const accepted = await inbox.accept(batchOf(["c"]));
    last = JSON.stringify(accepted);
  }
  expect(last).toContain("batchId");
  const connection = await inSchema(migrateInbox)();
  const first = await moveInbox(path, connection);
  expect(first).toEqual({ rows: expect.any(Number), isFound: false });
  expect(await moveInbox(path, connection)).toEqual({ ...first, isFound: true });
  await using inbox = await openPostgresInbox(connection);
  const { items } = await inbox.lease(lease);
  expect(pushIdsOf(items)).toEqual(["a", "b", "c"]);
  expect(await inbox.accept(requested)).toMatchObject({ kind: "duplicate", reply: requested.reply });
  expect(JSON.stringify(await inbox.accept(batchOf(["d"])))).not.toBe(last);
  server.query(`DELETE FROM ${connection.schema}.work WHERE id = 1`);
  await expect(moveInbox(path, connection)).rejects.toMatchObject({ name: "OccupiedError" });
});

it("moves push channels with their tasks, runs and batches", async () => {
  const path = join(await openFolder(), "channels.db");
  {
    await using channels = await openSqliteChannels({ path, ...small });
    await preparedRun(channels, [["a", "b"], ["c"], ["d"]]);
    await addChannel(channels, "second");
  }
  const connection = await inSchema(migrateChannels)();
  const first = await moveChannels(path, connection);
  expect(await moveChannels(path, connection)).toEqual({ ...first, isFound: true });
  await using channels = await openPostgresChannels(connection);
  const { items: found } = await channels.channels({}, { limit: 10 });
  expect(found.map(({ name }) => name).toSorted()).toEqual(["mail", "second"]);
  const mail = found.find(({ name }) => name === "mail")!;
  expect((await leaseAll(channels, mail.channelId)).map(({ size }) => size)).toEqual([2, 1, 1]);
  const third = await addChannel(channels, "third");
  expect(found.map(({ channelId }) => channelId)).not.toContain(third);
});

it("moves no file of another version, and none that does not exist", async () => {
  const path = join(await openFolder(), "inbox.db");
  const connection = await inSchema(migrateInbox)();
  expect(await moveInbox(path, connection)).toEqual({ rows: 0, isFound: false });
  new DatabaseSync(path).exec("PRAGMA user_version = 1");
  await expect(moveInbox(path, connection)).rejects.toThrow("start it on the file once");
});

it("moves ids, first checks and uuids, which count as long as their window lasts", async () => {
  const path = join(await openFolder(), "intake.db");
  const all = keysOf(["ann", "bob", "phone", "uuid", "old", "check", "\u0000", "new"]);
  const keysIn = (project: number) => new Map([[project, all.get(project)!]]);
  const nowMs = 1_700_000_000_000;
  {
    using intake = openSqliteIntake({ path, uuidWindowMs: windowMs });
    await intake.rewind(undefined);
    await intake.begin(place(0));
    intake.resolve(1, "ann", "phone");
    intake.resolve(1, "\u0000", undefined);
    intake.resolve(2, undefined, "phone");
    intake.claimUuid(1, "old", nowMs - windowMs);
    intake.claimUuid(1, "uuid", nowMs);
    intake.claimFirstCheck(1, "open", "check");
    await intake.commit(place(1));
  }
  await using schema = await createSchema(server);
  const connection = { url: server.url, schema: schema.name };
  const options = { uuidWindowMs: windowMs, loadedTo: place(1) };
  const ahead = moveIntake(path, connection, { ...options, loadedTo: place(2) });
  await expect(ahead).rejects.toMatchObject({ name: "IntakeBehindError" });
  const missing = moveIntake(`${path}.other`, connection, options);
  await expect(missing).rejects.toMatchObject({ name: "IntakeOpenError" });
  const moved = await moveIntake(path, connection, options);
  expect(moved.isFound).toBe(false);
  expect(await moveIntake(path, connection, options)).toEqual({ ...moved, isFound: true });
  const left = (): string => server.query(`SELECT count(*) FROM ${schema.name}.intake_moved_uuids`);
  expect(left()).toBe("1");
  const intake = await schema.open({ uuidWindowMs: windowMs });
  await intake.rewind(undefined);
  await intake.begin(place(0), keysIn(1));
  expect(intake.resolve(1, "ann", undefined)).toEqual({ userId: 1, isNew: false, ownsVisitor: false });
  expect(intake.resolve(1, undefined, "phone")).toEqual({ userId: 1, isNew: false, ownsVisitor: true });
  expect(intake.resolve(1, "\u0000", undefined)).toMatchObject({ userId: 2, isNew: false });
  expect(intake.resolve(1, "new", undefined)).toMatchObject({ userId: 3, isNew: true });
  expect(intake.claimFirstCheck(1, "open", "check")).toBe(false);
  expect(intake.claimFirstCheck(1, "Open", "check")).toBe(true);
  const claims = ["uuid", "old", "new"].map((uuid) => intake.claimUuid(1, uuid, nowMs + 1));
  expect(claims).toEqual([false, true, true]);
  await intake.commit(place(1));
  expect(left()).toBe("1");
  await intake.rewind(place(1));
  await intake.begin(place(1), keysIn(1));
  expect(intake.claimUuid(1, "uuid", nowMs + windowMs)).toBe(true);
  expect(intake.claimUuid(1, "ann", nowMs + 3 * windowMs)).toBe(true);
  await intake.commit(place(2));
  // No batch of the window before may be prepared again.
  for (let at = 2; at < 20; at++) {
    await intake.begin(place(at), keysIn(1));
    intake.claimUuid(1, "bob", nowMs + 4 * windowMs);
    await intake.commit(place(at + 1));
  }
  // Project 2 of the file is loaded from a spool of its own.
  expect(left()).toBe("1");
  const other = await schema.open({ uuidWindowMs: windowMs, spool: 2 });
  await other.rewind(undefined);
  await other.begin(place(0), keysIn(2));
  expect(other.resolve(2, undefined, "phone")).toMatchObject({ userId: 1, isNew: false });
  expect(other.claimUuid(2, "new", nowMs + 3 * windowMs)).toBe(true);
  await other.commit(place(1));
  expect(left()).toBe("0");
});

it("moves dead letters of rotated files in their order, once", async () => {
  const folder = await openFolder();
  const file = join(folder, "dead.ndjson");
  const observer = { written() {}, dropped() {}, failed() {}, resumed() {} };
  const limits = { maxBytes: 4_096, keepFiles: 3 };
  {
    await using letters = openNdjsonDeadLetters({ ...limits, file, observer });
    for (let n = 0; n < 20; n++) {
      const line = Buffer.from(`${JSON.stringify({ n, line: "x".repeat(400) })}\n`);
      letters.append({ count: 1, ndjson: new Uint8Array(line) });
      await letters.flush();
    }
  }
  const connection = await inSchema(migrateDeadLetters)();
  const moved = { ...limits, file, connection, list: "events", source: "a folder" };
  const count = await moveDeadLetters(moved);
  expect(await moveDeadLetters(moved)).toBe(count);
  const found = server.query(
    `SELECT content->>'n' FROM ${connection.schema}.deadletters ORDER BY part, number`,
  );
  const numbers = Array.from({ length: count }, (_, at) => String(20 - count + at));
  expect(found.split("\n")).toEqual(numbers);
});
