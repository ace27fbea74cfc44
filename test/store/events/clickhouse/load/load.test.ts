import { expect, it } from "vitest";
import { openSpool } from "../../../../../store/events/clickhouse/load/load.ts";
import { Projects } from "../../../../../store/events/clickhouse/projects.ts";
import { namesRemoved } from "../../../../../store/events/ledger/faults.ts";
import type { Ledger } from "../../../../../store/events/ledger/ledger.ts";
import type { ProjectState } from "../../../../../store/events/ledger/state.ts";
import type { SpoolPlace } from "../../../../../store/events/load.ts";

const projectId = 7;

/** A project with as many events as generations: each removal of names is followed by a new event. */
const stateOf = (generation: number): ProjectState => ({
  projectId,
  version: generation,
  generation,
  watermark: 0,
  hiddenBatches: [],
  removals: generation,
  mayHaveUpdatable: false,
  events: Array.from({ length: generation }, (_, at) => ({ name: `event ${at + 1}`, number: at + 1 })),
  properties: [],
  removedEvents: [],
  removedProperties: [],
  dropped: undefined,
  deletions: [],
  cohorts: [],
});

it("knows the names after a load during which some were removed, so that the next batch has their numbers", async () => {
  let generation = 1;
  const replies: Record<string, () => unknown> = {
    loadedTo: () => undefined,
    readHead: () => stateOf(generation),
    readState: () => stateOf(generation),
    beginBatch: () => ({ number: 1, loadedTo: undefined }),
    completeBatch() {
      generation++;
      throw namesRemoved(projectId);
    },
    abandonBatch: () => undefined,
  };
  const ledger = { call: async (name: string) => replies[name]!() } as unknown as Ledger;
  const projects = new Projects(ledger);
  await projects.snapshot(projectId);
  const lease = { name: "load/7", token: 1, signal: new AbortController().signal };
  const source = { ledger, projects, columns: { ensure: async () => {} } };
  const spool = await openSpool(source as unknown as Parameters<typeof openSpool>[0], "7", lease);
  expect(spool.schema(projectId).events.size).toBe(1);
  const rows = {
    projectId,
    newEvents: [],
    newProperties: [],
    counts: { events: 0, updates: 0, seen: 0, users: 0 },
  };
  const [from, to] = [0, 10].map((offset) => ({ number: 1, offset })) as [SpoolPlace, SpoolPlace];
  await expect(spool.load({ from, to, projects: [rows] })).rejects.toThrow("names of project 7 were removed");
  expect(spool.schema(projectId).events.size).toBe(2);
});
