import { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { IntakeUnavailableError } from "../../../store/intake/intake.ts";
import { PostgresIntake } from "../../../store/intake/postgres/postgres.ts";
import { intakeStore } from "../../../store/intake/postgres/store.ts";
import { openPool, PostgresExecutor } from "../../../store/sql/postgres/executor.ts";
import { keysOf, place } from "../../conformance/intake/store.ts";
import type { PostgresServer } from "../inbox/postgres-server.ts";
import { beginWith, createSchema } from "./intake-schema.ts";

export function testFailedCommits(server: () => PostgresServer): void {
  describe("commit that fails", () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => `id-${i}`);
    const numbers = ids.map((_id, i) => i + 1);

    it.each(["spools", "projects", "accounts", "visitors", "first_checks", "uuid_batches"])(
      "when the database is killed before it writes %s leaves nothing",
      async (table) => {
        await using schema = await createSchema(server());
        const intake = await schema.open();
        await intake.rewind(undefined);
        const before = schema.dump();
        expect(await beginWith(intake, 0, ids)).toEqual(numbers);
        const locker = new Client({ connectionString: server().url });
        locker.on("error", () => {});
        await locker.connect();
        await locker.query(`BEGIN; LOCK TABLE ${schema.name}.intake_${table} IN EXCLUSIVE MODE`);
        const committed = expect(intake.commit(place(10))).rejects.toThrow(IntakeUnavailableError);
        await vi.waitFor(
          () => expect(server().query("SELECT count(*) FROM pg_locks WHERE NOT granted")).toBe("1"),
          20_000,
        );
        await server().kill();
        await committed;
        await server().start();
        expect(schema.dump()).toBe(before);
        await intake.rewind(undefined);
        await intake.begin(place(0), keysOf(ids));
        expect(ids.map((id) => intake.resolve(1, id, id).userId)).toEqual(numbers);
        expect(ids.filter((id) => !intake.claimUuid(1, id, 1_000_000))).toEqual([]);
        expect(ids.filter((id) => !intake.claimFirstCheck(1, "open", id))).toEqual([]);
        await intake.commit(place(10));
        expect(await intake.preparedTo()).toEqual(place(10));
      },
    );

    it("because its reply is lost has written all, which is prepared again", async () => {
      await using schema = await createSchema(server());
      const pool = await openPool(intakeStore, { url: server().url }, schema.name);
      await using executor = new PostgresExecutor(intakeStore, pool, { schema: schema.name, maxWaiting: 1 });
      const intake = new PostgresIntake(
        {
          async call(name, ...rest) {
            const outcome = await executor.call(name, ...rest);
            if (name === "writeBatch") throw new IntakeUnavailableError("no reply");
            return outcome;
          },
          [Symbol.asyncDispose]: async () => {},
        },
        { spool: 1, uuidWindowMs: 10_000, maxUuids: 10, maxCachedIds: 10, fence: undefined },
      );
      await intake.rewind(undefined);
      expect(await beginWith(intake, 0, ids)).toEqual(numbers);
      await expect(intake.commit(place(10))).rejects.toThrow("no reply");
      await expect(intake.begin(place(10), keysOf(ids))).rejects.toThrow("must be rewound");
      expect(await intake.preparedTo()).toEqual(place(10));
      await intake.rewind(undefined);
      expect(await beginWith(intake, 0, ids.toReversed())).toEqual(numbers.toReversed());
    });

    it("is durable when the database is killed after it", async () => {
      await using schema = await createSchema(server());
      const intake = await schema.open();
      await intake.rewind(undefined);
      await beginWith(intake, 0, ids);
      await intake.commit(place(10));
      await server().kill();
      await server().start();
      await intake.begin(place(10), keysOf(ids));
      expect(ids.map((id) => intake.resolve(1, undefined, id).userId)).toEqual(numbers);
      expect(ids.filter((id) => intake.claimUuid(1, id, 1_000_001))).toEqual([]);
    });
  });
}
