import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Intake } from "../../../store/intake/intake.ts";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
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

  it("are known beyond the end of a day", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open();
    await intake.rewind(undefined);
    expect(
      await claim(intake, 0, [
        ["a", 23],
        ["b", 23.5],
        ["c", 24.5],
      ]),
    ).toEqual([true, true, true]);
    expect(schema.uuidTables()).toEqual(["intake_uuids_1_0", "intake_uuids_1_1"]);
    expect(
      await claim(intake, 1, [
        ["a", 25],
        ["b", 26],
        ["c", 22],
      ]),
    ).toEqual([false, false, false]);
    expect(
      await claim(intake, 2, [
        ["a", 26],
        ["b", 26.4],
        ["a", 27],
      ]),
    ).toEqual([true, false, false]);
    // The last claim of a counts, which is in the other table.
    expect(
      await claim(intake, 3, [
        ["a", 28.9],
        ["a", 29],
        ["b", 26.5],
      ]),
    ).toEqual([false, true, true]);
    expect(intake.stats().uuids).toBe(4);
  });

  it("are dropped with their table when the window has passed twice", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open();
    await intake.rewind(undefined);
    const tablesAfter = async (at: number, hours: number) => {
      await claim(intake, at, [["a", hours]]);
      return schema.uuidTables().map((name) => Number(name.split("_").at(-1)));
    };
    expect(await tablesAfter(0, 0)).toEqual([0]);
    expect(await tablesAfter(1, 24)).toEqual([0, 1]);
    expect(await tablesAfter(2, 29.99)).toEqual([0, 1]);
    expect(await tablesAfter(3, 30)).toEqual([1]);
    expect(await tablesAfter(4, 24 * 20)).toEqual([20]);
    expect(
      await claim(intake, 5, [
        ["a", 24 * 20 + 2.9],
        ["b", 24 * 20],
      ]),
    ).toEqual([false, true]);
  });

  it("are undone in all tables, and a dropped table comes back when its batch is refused", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open();
    await intake.rewind(undefined);
    await claim(intake, 0, [["a", 10]]);
    await claim(intake, 1, [
      ["a", 23],
      ["b", 23],
    ]);
    await claim(intake, 2, [
      ["c", 25],
      ["d", 23],
    ]);
    const next = await schema.open();
    await next.rewind(place(1));
    expect(
      await claim(next, 1, [
        ["b", 24],
        ["c", 25],
        ["d", 25],
        ["a", 12.9],
      ]),
    ).toEqual([true, true, true, false]);
    const before = schema.dump();
    await intake.rewind(place(2));
    await intake.begin(place(2), keys);
    intake.claimUuid(1, "a", 24 * 20 * hourMs);
    await next.rewind(place(2));
    await expect(intake.commit(place(3))).rejects.toThrow("another loader");
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
