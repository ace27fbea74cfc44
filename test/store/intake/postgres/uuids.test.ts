import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type IntakeKeys, repeatedBatches } from "../../../../store/intake/intake.ts";
import { placeOf } from "../../../../store/intake/place.ts";
import { PostgresIntake } from "../../../../store/intake/postgres/postgres.ts";
import { casesOf } from "../../../thorough.ts";
import { type IntakeExecutor, ModelDatabase } from "./model-database.ts";

const hourMs = 3_600_000;
const uuidWindowMs = 3 * hourMs;
const ids = ["a", "b", "c", "d", "e"];
const projects = [1, 2];
const keys: IntakeKeys = new Map(
  projects.map((id) => [id, { accountIds: [], distinctIds: [], uuids: ids, firstCheckIds: new Map() }]),
);

interface Claim {
  readonly project: number;
  readonly uuid: string;
  readonly timeMs: number;
}

/** What an intake must do: each claim has a row for ever, and the last batch counts. */
class RowForEachUuid {
  #rows: (Claim & { readonly seq: number })[] = [];

  rewind(seq: number): void {
    this.#rows = this.#rows.filter((row) => row.seq < seq);
  }

  claim(seq: number, claim: Claim): boolean {
    const last = this.#rows.findLast(({ project, uuid }) => project === claim.project && uuid === claim.uuid);
    if (last !== undefined && Math.abs(claim.timeMs - last.timeMs) < uuidWindowMs) return false;
    this.#rows.push({ ...claim, seq });
    return true;
  }
}

/** Fails a commit before it is sent, or after it was written. */
function failing(executor: IntakeExecutor, isWritten: boolean): Pick<IntakeExecutor, "call"> {
  return {
    async call(name, ...rest) {
      if (name !== "writeBatch") return await executor.call(name, ...rest);
      if (isWritten) await executor.call(name, ...rest);
      throw new Error("no reply");
    },
  };
}

function openIntake(executor: Pick<IntakeExecutor, "call">, maxUuids: number): PostgresIntake {
  return new PostgresIntake(
    { call: executor.call.bind(executor), [Symbol.asyncDispose]: async () => {} },
    { spool: 1, uuidWindowMs, maxUuids, maxCachedIds: 1, fence: undefined },
  );
}

const claim = fc.record({
  project: fc.constantFrom(...projects),
  uuid: fc.constantFrom(...ids),
  laterHours: fc.constantFrom(0, 0, 0, 0.5, 1, 2.9, 3, 7, 31),
  /** Of a replica which stored the record late. */
  earlierHours: fc.constantFrom(0, 0, 0, 0.5, 2.9),
});
type ClaimOfBatch = typeof claim extends fc.Arbitrary<infer T> ? T : never;
const batch = fc.array(claim, { maxLength: 6 });
const kinds = ["commit", "fail", "fail written", "rewind", "take over"] as const;
type Kind = (typeof kinds)[number];
const step = fc.record({
  kind: fc.oneof(fc.constantFrom("commit"), fc.constantFrom(...kinds)),
  /** The number of batches that are prepared again, of those which may be. */
  again: fc.constantFrom(0, 0, 1, 1, 2, 9),
  loader: fc.nat(2),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** More batches than may be prepared again, which a loader takes over that remembers no others. */
const spilling: [ClaimOfBatch[][], Step[]] = [
  Array.from({ length: repeatedBatches + 4 }, (_, at) => [
    { project: projects[0]!, uuid: ids[at % ids.length]!, laterHours: 3, earlierHours: 0 },
  ]),
  [
    ...Array.from({ length: repeatedBatches + 3 }, (): Step => ({ kind: "commit", again: 0, loader: 0 })),
    { kind: "take over", again: 0, loader: 2 },
  ],
];

/** More batches within the window than a loader keeps that remembers no others: a uuid is a row when it is repeated. */
const repeating: [ClaimOfBatch[][], Step[]] = [
  Array.from({ length: repeatedBatches + 3 }, (_, at) => [
    {
      project: projects[0]!,
      uuid: at === repeatedBatches + 2 ? "a" : ids[at % ids.length]!,
      laterHours: 0,
      earlierHours: 0,
    },
  ]),
  [
    { kind: "take over", again: 0, loader: 2 },
    ...Array.from({ length: repeatedBatches + 3 }, (): Step => ({ kind: "commit", again: 0, loader: 0 })),
  ],
];

describe("uuids of the intake in PostgreSQL", () => {
  const database = new ModelDatabase();

  it("are taken as if each had a row for ever, whatever is prepared again by whichever loader", async () => {
    let spilled = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { minLength: 10, maxLength: 40 }),
        fc.array(step, { minLength: 10, maxLength: 60 }),
        async (claims, steps) => {
          database.clear();
          const batches = timed(claims);
          const reference = new RowForEachUuid();
          const executor = database.open();
          const open = (maxUuids: number, by: Pick<IntakeExecutor, "call"> = executor) =>
            openIntake(by, maxUuids);
          // Loaders of different configurations follow each other.
          const limits = [1_000, 7, 0] as const;
          let intake = open(limits[0]);
          let at = 0;
          let prepared = 0;
          const backBy = (again: number) => Math.max(0, at - again, prepared - repeatedBatches);
          let committed = Promise.resolve();
          const rewind = async (to: number): Promise<void> => {
            await committed;
            at = to;
            reference.rewind(to);
            await intake.rewind(to === 0 ? undefined : placeOf(to));
          };
          const prepare = async (): Promise<void> => {
            await intake.begin(placeOf(at), keys);
            const taken = batches[at]!.map((one) => intake.claimUuid(one.project, one.uuid, one.timeMs));
            expect(taken).toEqual(batches[at]!.map((one) => reference.claim(at, one)));
          };
          await rewind(0);
          const prepareUnless = async (isDone: boolean, end: () => Promise<void>): Promise<void> => {
            if (isDone) return;
            await prepare();
            prepared = Math.max(prepared, at + 1);
            await end();
          };
          // The next batch begins while this one is committed.
          const commit = async (): Promise<void> => {
            await committed;
            committed = intake.commit(placeOf(++at));
          };
          const acts: Record<Kind, (again: number, maxUuids: number) => Promise<void>> = {
            commit: () => prepareUnless(at === batches.length, commit),
            rewind: (again) => rewind(backBy(again)),
            "take over": async (again, maxUuids) => {
              await committed;
              intake = open(maxUuids);
              return rewind(backBy(again));
            },
            fail: (_again, maxUuids) => failCommit(open(maxUuids, failing(executor, false))),
            "fail written": (_again, maxUuids) => failCommit(open(maxUuids, failing(executor, true))),
          };
          async function failCommit(other: PostgresIntake): Promise<void> {
            const [sound, from] = [intake, at];
            intake = other;
            await rewind(from);
            await prepareUnless(from === batches.length, () =>
              expect(other.commit(placeOf(from + 1))).rejects.toThrow("no reply"),
            );
            intake = sound;
            await rewind(from);
          }
          for (const { kind, again, loader } of steps) await acts[kind](again, limits[loader]!);
          await committed;
          spilled += database.read("SELECT 1 FROM uuid_rows").length;
        },
      ),
      { numRuns: casesOf(150), examples: [spilling, repeating] },
    );
    expect(spilled).toBeGreaterThan(0);
  });

  it("can be claimed again when everything is prepared again, also those which are rows", async () => {
    database.clear();
    const intake = openIntake(database.open(), 0);
    const prepareAll = async (): Promise<readonly boolean[]> => {
      await intake.rewind(undefined);
      const taken: boolean[] = [];
      for (let at = 0; at < repeatedBatches + ids.length; at++) {
        await intake.begin(placeOf(at), keys);
        taken.push(intake.claimUuid(1, ids[at % ids.length]!, hourMs));
        await intake.commit(placeOf(at + 1));
      }
      return taken;
    };
    for (let time = 0; time < 2; time++) {
      expect((await prepareAll()).slice(0, ids.length)).toEqual(ids.map(() => true));
      expect(database.read("SELECT 1 FROM uuid_rows")).toHaveLength(ids.length);
    }
  });
});

/** Gives the claims of batches their times, which are out of order by less than the window. */
function timed(batches: readonly (readonly ClaimOfBatch[])[]) {
  let hours = 24 * 365;
  return batches.map((claims) =>
    claims.map(({ project, uuid, laterHours, earlierHours }): Claim => {
      hours += laterHours;
      return { project, uuid, timeMs: Math.round((hours - earlierHours) * hourMs) };
    }),
  );
}
