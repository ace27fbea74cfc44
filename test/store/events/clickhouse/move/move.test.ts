import type { Readable } from "node:stream";
import { expect, it } from "vitest";
import type { LoadSource, SpoolLease } from "../../../../../store/events/clickhouse/load/load.ts";
import { createMover } from "../../../../../store/events/clickhouse/move/move.ts";
import {
  PartChangedError,
  type ProjectContents,
  type StoredPart,
} from "../../../../../store/events/contents.ts";
import { EventsUnavailableError } from "../../../../../store/events/events.ts";

const project: ProjectContents = { projectId: 1, parts: [], events: [], properties: [] };
const day: StoredPart = {
  projectId: 1,
  kind: "day",
  name: "day 2026-01-05",
  stamp: "7",
  rows: 2,
  properties: [],
  day: 20_458,
};

/** A mover to servers which report each fault of an insert as their own, and have one themselves if it is given. */
function openMover(shardCount: number, serverFault?: Error) {
  const calls: string[] = [];
  const connection = {
    shardCount,
    async insert(shard: number, _statement: unknown, values: Readable) {
      try {
        for await (const _bytes of values);
        if (serverFault !== undefined) throw serverFault;
      } catch (error) {
        throw new EventsUnavailableError(`shard ${shard + 1} is unavailable`, { cause: error });
      }
    },
    onEach: (work: (shard: number, signal: AbortSignal) => Promise<void>, signal: AbortSignal) =>
      Promise.all(Array.from({ length: shardCount }, (_, shard) => work(shard, signal))),
  };
  const ledger = {
    async call(name: string) {
      calls.push(name);
      return 1;
    },
  };
  const source = { ledger, connection } as unknown as LoadSource;
  const lease = { name: "move", token: 1, signal: new AbortController().signal } as SpoolLease;
  return { mover: createMover(source, lease), calls };
}

it.each([1, 2])("gives the reason of a source that fails, and not that of %i shards", async (shardCount) => {
  const { mover, calls } = openMover(shardCount);
  const changed = new PartChangedError("day 2026-01-05 of project 1 has changed since it was listed");
  async function* lines() {
    yield ['{"e":1,"u":5}'];
    throw changed;
  }
  await expect(mover.copy(project, day, lines(), () => {})).rejects.toBe(changed);
  expect(calls).toEqual(["beginMovedPart"]);
});

it("gives the reason of a server that fails", async () => {
  const full = new Error("no space left on device");
  const { mover } = openMover(1, full);
  async function* lines() {
    yield ['{"e":1,"u":5}'];
  }
  const sent: number[] = [];
  const copying = mover.copy(project, day, lines(), (rows) => sent.push(rows));
  await expect(copying).rejects.toMatchObject({ message: "shard 1 is unavailable", cause: full });
  expect(sent).toEqual([1]);
});
