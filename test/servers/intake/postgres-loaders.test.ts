import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Intake, IntakeBehindError, IntakeUnavailableError } from "../../../store/intake/intake.ts";
import { LeaseLostError } from "../../../store/leases/leases.ts";
import { openPostgresLeases } from "../../../store/leases/postgres/open.ts";
import { keysOf, place } from "../../conformance/intake/store.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { testFailedCommits } from "./failed-commits.ts";
import { beginWith, createSchema } from "./intake-schema.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("loader whose lease is lost", () => {
  it("commits nothing, and leaves its user numbers to the next one", async () => {
    await using schema = await createSchema(server);
    await using leases = await openPostgresLeases({ url: server.url, schema: schema.name });
    const first = await leases.acquire("load 1", new AbortController().signal);
    const stale = await schema.open({ fence: first });
    await stale.rewind(undefined);
    expect(await beginWith(stale, 0, ["a", "b"])).toEqual([1, 2]);
    await first.release();
    const second = await leases.acquire("load 1", new AbortController().signal);
    const before = schema.dump();
    await expect(stale.commit(place(10))).rejects.toThrow(LeaseLostError);
    expect(schema.dump()).toBe(before);
    await expect(stale.rewind(undefined)).rejects.toThrow(LeaseLostError);
    await expect(stale.markUnreported(undefined)).rejects.toThrow(LeaseLostError);
    expect(schema.dump()).toBe(before);
    const next = await schema.open({ fence: second });
    await next.rewind(undefined);
    expect(await beginWith(next, 0, ["c", "a"])).toEqual([1, 2]);
    await next.commit(place(10));
    expect(await next.preparedTo()).toEqual(place(10));
  });

  it("commits nothing after another one has begun, also without a lease", async () => {
    await using schema = await createSchema(server);
    const stale = await schema.open();
    await stale.rewind(undefined);
    await beginWith(stale, 0, ["a"]);
    const next = await schema.open();
    await next.rewind(undefined);
    const before = schema.dump();
    await expect(stale.commit(place(10))).rejects.toThrow(IntakeUnavailableError);
    expect(schema.dump()).toBe(before);
    await expect(stale.begin(place(0), keysOf([]))).rejects.toThrow("must be rewound");
  });

  it("reads nothing from its memory after another one has written", async () => {
    await using schema = await createSchema(server);
    const stale = await schema.open();
    await stale.rewind(undefined);
    await beginWith(stale, 0, ["a"]);
    await stale.commit(place(10));
    const next = await schema.open();
    await next.rewind(place(10));
    expect(await beginWith(next, 10, ["b"])).toEqual([2]);
    await next.commit(place(20));
    await expect(stale.begin(place(10), keysOf(["a"]))).rejects.toThrow("another loader has changed");
    await stale.rewind(place(20));
    expect(await beginWith(stale, 20, ["c", "b", "a"])).toEqual([3, 2, 1]);
  });

  it("commits nothing after another one has written, also if it remembers all ids of a batch", async () => {
    await using schema = await createSchema(server);
    const stale = await schema.open();
    await stale.rewind(undefined);
    const ids = { accountIds: ["a"], distinctIds: [], uuids: ["u"], firstCheckIds: new Map() };
    const batch = async (at: number): Promise<readonly unknown[]> => {
      await stale.begin(place(at), new Map([[1, ids]]));
      return [stale.resolve(1, "a", undefined).userId, stale.claimUuid(1, "u", 1_000_000)];
    };
    expect(await batch(0)).toEqual([1, true]);
    await stale.commit(place(10));
    const next = await schema.open();
    await next.rewind(undefined);
    const before = schema.dump();
    expect(await batch(10)).toEqual([1, false]);
    await expect(stale.commit(place(20))).rejects.toThrow("another loader has changed");
    expect(schema.dump()).toBe(before);
    await expect(stale.begin(place(20), keysOf([]))).rejects.toThrow("must be rewound");
  });
});

describe("loaders", () => {
  it("in any order give no user number twice, and an id one user", async () => {
    const ids = fc.uniqueArray(fc.constantFrom("1", "2", "3", "4", "5", "6"), { minLength: 1, maxLength: 3 });
    const step = fc.record({
      loader: fc.constantFrom(0, 1),
      ids,
      end: fc.constantFrom<End>(commit, commit, leave, rewind),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
        await using schema = await createSchema(server);
        const loaders = [await schema.open(), await schema.open({ maxCachedIds: 1 })];
        const users = new Map<string, number>();
        for (const { loader, ids: used, end } of steps) {
          const intake = loaders[loader]!;
          const begin = () => intake.begin(place(0), keysOf(["1", "2", "3", "4", "5", "6"]));
          // The intake was not rewound, has an open batch, or does not know what the other loader wrote.
          await begin().catch(() => intake.rewind(undefined).then(begin));
          const numbers = used.map((id) => [id, intake.resolve(1, id, undefined).userId] as const);
          for (const [id, userId] of await end(intake, numbers)) {
            expect(users.get(id) ?? userId).toBe(userId);
            users.set(id, userId);
          }
          expect(new Set(users.values()).size).toBe(users.size);
        }
      }),
      { numRuns: 25 },
    );
  });

  type Numbers = readonly (readonly [string, number])[];

  /** Ends a batch, and returns the numbers that it has assigned. */
  type End = (intake: Intake, numbers: Numbers) => Promise<Numbers>;

  async function commit(intake: Intake, numbers: Numbers): Promise<Numbers> {
    return await intake.commit(place(10)).then(
      () => numbers,
      (error: unknown) => {
        expect(error).toBeInstanceOf(IntakeUnavailableError);
        return [];
      },
    );
  }

  const leave: End = async () => [];

  async function rewind(intake: Intake): Promise<Numbers> {
    await intake.rewind(undefined);
    return [];
  }

  it("of two spools cannot prepare records of one project", async () => {
    await using schema = await createSchema(server);
    const one = await schema.open({ spool: 1 });
    await one.rewind(undefined);
    await beginWith(one, 0, ["a"]);
    await one.commit(place(10));
    const other = await schema.open({ spool: 2 });
    await other.rewind(undefined);
    await expect(beginWith(other, 0, ["a"])).rejects.toThrow("project 1 is of another spool than 2");
  });

  it("of two spools do not undo claims of each other", async () => {
    await using schema = await createSchema(server);
    const [one, two] = [await schema.open({ spool: 1 }), await schema.open({ spool: 2 })];
    const keys = [1, 2].map((projectId) => new Map([[projectId, keysOf(["u"]).get(1)!]]));
    const claims = (intake: Intake, projectId: number) => [
      intake.claimUuid(projectId, "u", 1_000_000),
      intake.claimFirstCheck(projectId, "open", "u"),
    ];
    for (const [at, intake] of [one, two].entries()) {
      await intake.rewind(undefined);
      await intake.begin(place(0), keys[at]!);
      expect(claims(intake, at + 1)).toEqual([true, true]);
      await intake.commit(place(10));
    }
    await one.rewind(undefined);
    await one.begin(place(0), keys[0]!);
    expect(claims(one, 1)).toEqual([true, true]);
    await two.begin(place(10), keys[1]!);
    expect(claims(two, 2)).toEqual([false, false]);
  });
});

describe("loader that is killed", () => {
  async function startLoader(schema: string): Promise<ChildProcess> {
    const child = fork(new URL("./killed-loader.ts", import.meta.url), [server.url, schema]);
    await once(child, "message");
    return child;
  }

  it("between begin and commit leaves nothing", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open();
    await intake.rewind(undefined);
    await beginWith(intake, 0, ["known"]);
    await intake.commit(place(10));
    const child = await startLoader(schema.name);
    const before = schema.dump();
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(schema.dump()).toBe(before);
    await intake.rewind(place(10));
    expect(await beginWith(intake, 10, ["b", "known"])).toEqual([2, 1]);
  });
});

testFailedCommits(() => server);

describe("keys that were not announced", () => {
  it("are refused, whatever is known of them", async () => {
    await using schema = await createSchema(server);
    const intake = await schema.open();
    await intake.rewind(undefined);
    await beginWith(intake, 0, ["known"]);
    await intake.commit(place(10));
    await intake.begin(place(10), keysOf(["other"]));
    const words = "is not among the keys which the batch was begun with";
    expect(() => intake.resolve(1, "known", undefined)).toThrow(`the account id ${words}`);
    expect(() => intake.resolve(1, "other", "known")).toThrow(`the distinct id ${words}`);
    expect(() => intake.resolve(4, "other", undefined)).toThrow(`the project ${words}`);
    expect(() => intake.claimUuid(1, "known", 1)).toThrow(`the uuid ${words}`);
    expect(() => intake.claimFirstCheck(1, "open", "known")).toThrow(`the first-check id ${words}`);
    expect(() => intake.claimFirstCheck(1, "close", "other")).toThrow(`the first-check id ${words}`);
  });
});

it("tells a store which has loaded more than was prepared", async () => {
  await using schema = await createSchema(server);
  const intake = await schema.open();
  const before = schema.dump();
  await expect(intake.rewind(place(1))).rejects.toThrow(IntakeBehindError);
  expect(schema.dump()).toBe(before);
});
