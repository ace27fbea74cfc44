import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Intake } from "../../../store/intake/intake.ts";
import { repeatedBatches } from "../../../store/intake/intake.ts";
import { seqOf } from "../../../store/intake/place.ts";
import { migrate, openPostgresIntake } from "../../../store/intake/postgres/open.ts";
import { intakeStore } from "../../../store/intake/postgres/store.ts";
import { hashUuids } from "../../../store/intake/postgres/uuid-hash.ts";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
import { migrateStore } from "../../../store/sql/postgres/migrate.ts";
import { keysOf, place } from "../../conformance/intake/store.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { createSchema } from "./intake-schema.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const keys = keysOf(["a", "b", "c", "d"]);

describe("uuids in PostgreSQL", () => {
  /** Claims uuids at hours in one batch. */
  async function claim(intake: Intake, at: number, claims: readonly (readonly [string, number])[]) {
    await intake.begin(place(at), keys);
    const taken = claims.map(([uuid, hours]) => intake.claimUuid(1, uuid, hours * hourMs));
    await intake.commit(place(at + 1));
    return taken;
  }

  /** Prepares more batches, which claim a uuid again in vain, so that those before are not prepared again. */
  async function claimInVain(intake: Intake, at: number, one: readonly [string, number]): Promise<void> {
    for (let more = 0; more < repeatedBatches; more++)
      expect(await claim(intake, at + more, [one])).toEqual([false]);
  }

  it.each([
    { maxUuids: 0, tables: ["intake_uuids_1_0", "intake_uuids_1_1"] },
    { maxUuids: 12, tables: [""] },
  ])("are known beyond the end of a day, of which $maxUuids are in memory", async ({ maxUuids, tables }) => {
    await using schema = await createSchema(server);
    const intake = await schema.open({ maxUuids });
    await intake.rewind(undefined);
    expect(
      await claim(intake, 0, [
        ["a", 23],
        ["b", 23.5],
        ["c", 24.5],
      ]),
    ).toEqual([true, true, true]);
    await claimInVain(intake, 1, ["a", 23]);
    expect(
      await claim(intake, 11, [
        ["a", 25],
        ["b", 26],
        ["c", 22],
      ]),
    ).toEqual([false, false, false]);
    expect(
      await claim(intake, 12, [
        ["a", 26],
        ["b", 26.4],
        ["a", 27],
      ]),
    ).toEqual([true, false, false]);
    await claimInVain(intake, 13, ["a", 26]);
    // The last claim of a counts, which is in the other table.
    expect(
      await claim(intake, 23, [
        ["a", 28.9],
        ["a", 29],
        ["b", 26.5],
      ]),
    ).toEqual([false, true, true]);
    await intake.begin(place(24), keys);
    expect(intake.stats().uuids).toBe(6);
    expect(schema.uuidTables()).toEqual(tables);
  });

  it.each([
    { how: "batch", maxUuids: 20, before: "|0", after: "|9" },
    { how: "table", maxUuids: 0, before: "intake_uuids_1_0|8", after: "|9" },
  ])(
    "are removed with their $how when the window has passed twice for all batches that may be prepared again",
    async ({ maxUuids, before, after }) => {
      await using schema = await createSchema(server);
      const intake = await schema.open({ maxUuids });
      await intake.rewind(undefined);
      const oldest = `SELECT min(seq) - ${seqOf(place(0))} FROM ${schema.name}.intake_uuid_batches`;
      const stored = () => `${schema.uuidTables()}|${server.query(oldest)}`;
      await claim(intake, 0, [["a", 0]]);
      await claimInVain(intake, 1, ["a", 0]);
      for (let at = 1; at < repeatedBatches; at++) await claim(intake, 8 + at, [["b", 30]]);
      expect(stored()).toBe(before);
      await claim(intake, 16, [["b", 30]]);
      expect(stored()).toBe(after);
      expect(
        await claim(intake, 17, [
          ["b", 32.9],
          ["a", 30],
        ]),
      ).toEqual([false, true]);
    },
  );

  it("are dropped with the table of their day when the window has passed twice since its end", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open({ maxUuids: 0 });
    await intake.rewind(undefined);
    await claim(intake, 0, [["a", 0]]);
    await claimInVain(intake, 1, ["a", 0]);
    await claim(intake, 9, [["b", 29.99]]);
    await claimInVain(intake, 10, ["b", 29.99]);
    expect(schema.uuidTables()).toEqual(["intake_uuids_1_0", "intake_uuids_1_1"]);
    await claimInVain(intake, 18, ["b", 30]);
    expect(schema.uuidTables()).toEqual(["intake_uuids_1_1"]);
  });

  it("are undone in all tables, and a batch that is refused removes nothing", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open({ maxUuids: 0 });
    await intake.rewind(undefined);
    await claim(intake, 0, [["a", 20]]);
    await claim(intake, 1, [
      ["a", 23],
      ["b", 23],
    ]);
    await claim(intake, 2, [
      ["c", 25],
      ["d", 23],
    ]);
    await claimInVain(intake, 3, ["c", 25]);
    expect(schema.uuidTables()).toEqual(["intake_uuids_1_0", "intake_uuids_1_1"]);
    const next = await schema.open({ maxUuids: 3 });
    await next.rewind(place(1));
    expect(
      await claim(next, 1, [
        ["b", 24],
        ["c", 25],
        ["d", 25],
        ["a", 22.9],
      ]),
    ).toEqual([true, true, true, false]);
    await claimInVain(next, 2, ["c", 25]);
    const before = schema.dump();
    const refused = await schema.open({ maxUuids: 3 });
    await refused.rewind(place(10));
    await refused.begin(place(10), keys);
    refused.claimUuid(1, "a", 24 * 20 * hourMs);
    await next.rewind(place(10));
    await expect(refused.commit(place(11))).rejects.toThrow("another loader");
    expect(schema.dump().replaceAll(/<version>\d+/g, "")).toBe(before.replaceAll(/<version>\d+/g, ""));
  });

  it("and all other state are those of a file, whatever happens", async () => {
    const id = fc.constantFrom("a", "b", "c", "d");
    const call = fc.oneof(
      fc.record({
        kind: fc.constant("resolve" as const),
        account: fc.option(id, { nil: undefined }),
        visitor: id,
        project: fc.constantFrom(1, 2),
      }),
      fc.record({
        kind: fc.constant("uuid" as const),
        id,
        later: fc.constantFrom(0, 1, 2, 5, 9),
        project: fc.constantFrom(1, 2),
      }),
      fc.record({
        kind: fc.constant("check" as const),
        id,
        event: fc.constantFrom("open", "Open"),
        project: fc.constantFrom(1, 2),
      }),
    );
    const batch = fc.record({
      calls: fc.array(call, { maxLength: 8 }),
      /** How many of the batches are prepared again afterwards. */
      again: fc.constantFrom(0, 0, 0, 1, 2),
      isOpenedAgain: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), async (batches) => {
        await using schema = await createSchema(server);
        const folder = mkdtempSync(join(tmpdir(), "engage-intake-"));
        const path = join(folder, "intake.db");
        const postgres = await play(batches, () => schema.open({ maxCachedIds: 4 }));
        const sqlite = await play(batches, async () => openSqliteIntake({ path }));
        expect(postgres.map(withoutIsNew)).toEqual(sqlite.map(withoutIsNew));
        // An id which the small memory has dropped counts as new again, which a store ignores.
        const missed = sqlite.filter((result, at) => isNew(result) && !isNew(postgres[at]));
        expect(missed).toEqual([]);
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 60 },
    );

    type Played = typeof batch extends fc.Arbitrary<infer T> ? T : never;

    function isNew(result: unknown): boolean {
      return typeof result === "object" && result !== null && "isNew" in result && result.isNew === true;
    }

    function withoutIsNew(result: unknown): unknown {
      return typeof result === "object" ? { ...result, isNew: undefined } : result;
    }

    async function play(
      batches: readonly Played[],
      open: () => Promise<Intake>,
    ): Promise<readonly unknown[]> {
      let intake = await open();
      await intake.rewind(undefined);
      let hours = 24 * 365;
      const results: unknown[] = [];
      let at = 0;
      for (const { calls, again, isOpenedAgain } of batches) {
        await intake.begin(place(at), keys);
        for (const one of calls) {
          if (one.kind === "uuid") hours += one.later / 2;
          results.push(resultOf(intake, one, hours * hourMs));
        }
        await intake.commit(place(at + 1));
        at = Math.max(0, at + 1 - again);
        if (isOpenedAgain) {
          await intake[Symbol.asyncDispose]();
          intake = await open();
        }
        if (isOpenedAgain || again > 0) await intake.rewind(at === 0 ? undefined : place(at));
      }
      results.push(await intake.preparedTo());
      await intake[Symbol.asyncDispose]();
      return results;
    }

    function resultOf(intake: Intake, one: Played["calls"][number], steadyMs: number): unknown {
      if (one.kind === "resolve") return intake.resolve(one.project, one.account, one.visitor);
      if (one.kind === "uuid") return intake.claimUuid(one.project, one.id, steadyMs);
      return intake.claimFirstCheck(one.project, one.event, one.id);
    }
  });

  it("that a version before stored one by one count after the migration", async () => {
    const name = "migrated_uuids";
    await migrateStore({ ...intakeStore, migrations: intakeStore.migrations.slice(0, 2) }, server, name);
    const hash = hashUuids(1, ["a"]).toString("hex");
    const seq = seqOf(place(0));
    server.query(`SET search_path TO ${name};
      CREATE TABLE intake_uuids_1_0 (hash bytea NOT NULL, time_ms bigint NOT NULL, seq bigint NOT NULL);
      INSERT INTO intake_uuids_1_0 VALUES ('\\x${hash}', ${10 * hourMs}, ${seq});
      INSERT INTO intake_uuid_tables (spool, day, uuids, last_seq) VALUES (1, 0, 1, ${seq});
      INSERT INTO intake_spools (spool, prepared, version) VALUES (1, ${seqOf(place(1))}, 1)`);
    await migrate(server, name);
    await using intake = await openPostgresIntake({ url: server.url, schema: name, spool: 1 });
    await intake.rewind(place(1));
    expect(
      await claim(intake, 1, [
        ["a", 12.9],
        ["b", 12.9],
      ]),
    ).toEqual([false, true]);
    expect(await claim(intake, 2, [["a", 13]])).toEqual([true]);
    await intake.rewind(undefined);
    expect(await claim(intake, 0, [["a", 12]])).toEqual([true]);
    await intake[Symbol.asyncDispose]();
    server.query(`DROP SCHEMA ${name} CASCADE`);
  });

  it("of a window of many days are known in all of its tables", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open({ uuidWindowMs: 10 * dayMs });
    await intake.rewind(undefined);
    for (let day = 0; day < 12; day++) await claim(intake, day, [["bcd"[day % 3]!, day * 24]]);
    await claim(intake, 12, [["a", 24 * 2]]);
    expect(
      await claim(intake, 13, [
        ["a", 24 * 12 - 1],
        ["a", 24 * 12],
      ]),
    ).toEqual([false, true]);
  });
});
