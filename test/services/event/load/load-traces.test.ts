import { expect, it } from "vitest";
import type { LoadObserver } from "../../../../services/event/load/load.ts";
import { createLoadTraces } from "../../../../services/event/load/load-traces.ts";
import type { PendingRecords } from "../../../../services/event/pending.ts";
import type { SpoolPlace } from "../../../../store/events/events.ts";
import { createNotingTracer } from "../../../base/trace/noting-tracer.ts";

type Loaded = Parameters<LoadObserver["loaded"]>;

function openTraces() {
  const { tracer, spans } = createNotingTracer();
  const createSpool = (): Spool => ({ end: { number: 1, offset: 100 }, loadedTo: undefined, compared: 0 });
  const spools = new Map([1, 3].map((id) => [id, createSpool()]));
  const pending = (projectId: number) => {
    const spool = spools.get(projectId);
    if (spool === undefined) return undefined;
    return {
      end: async () => noted(spool),
      loadedTo: () => spool.loadedTo,
    } as unknown as PendingRecords;
  };
  const traces = createLoadTraces({ tracer, pending, now: () => 5_000 });
  const call = tracer.startSpan("call", {});
  const loaded = () => traces.loaded(...([{ counts: { records: 3 } }, { loadMs: 20 }] as unknown as Loaded));
  const named = (name: string) => spans.filter((span) => span.name === name);
  return { traces, spool: spools.get(1)!, other: spools.get(3)!, spools, call, loaded, named };
}

interface Spool {
  end: SpoolPlace;
  loadedTo: SpoolPlace | undefined;
  /** How often a place of it was compared. */
  compared: number;
}

/** Returns the end of a spool, which counts how often it is compared. */
function noted(spool: Spool): SpoolPlace {
  const { number, offset } = spool.end;
  return {
    get number() {
      spool.compared++;
      return number;
    },
    offset,
  } as SpoolPlace;
}

it("ends the spans of calls whose records are loaded, and links them to the batch", async () => {
  const { traces, spool, call, loaded, named } = openTraces();
  await traces.appended(call, 1);
  spool.end = { number: 2, offset: 7 };
  await traces.appended(call, 1);
  loaded();
  expect(named("load").map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
  spool.loadedTo = { number: 2, offset: 6 };
  loaded();
  expect(named("load").map(({ hasEnded }) => hasEnded)).toEqual([true, false]);
  spool.loadedTo = { number: 2, offset: 7 };
  loaded();
  loaded();
  const [first, second] = named("load");
  expect(second).toMatchObject({ parent: call.traceparent, kind: "consumer", hasEnded: true });
  expect(named("load batch").map(({ links, attributes }) => [links, attributes["engage.records"]])).toEqual([
    [[first!.span.traceparent], 3],
    [[second!.span.traceparent], 3],
  ]);
});

it("ends the span of records that were loaded before their place was known", async () => {
  const { traces, spool, call, named } = openTraces();
  spool.loadedTo = spool.end;
  await traces.appended(call, 1);
  expect(named("load").map(({ hasEnded }) => hasEnded)).toEqual([true]);
});

it("begins no span where the trace or the project is not followed", async () => {
  const { traces, call, named } = openTraces();
  await traces.appended({ traceparent: call.traceparent }, 1);
  await traces.appended(call, 2);
  expect(named("load")).toEqual([]);
});

it("begins a bounded number of spans", async () => {
  const { traces, call, named } = openTraces();
  for (let calls = 0; calls < 1_010; calls++) await traces.appended(call, 1);
  expect(named("load")).toHaveLength(1_000);
});

it("ends the spans of each project by its own loads", async () => {
  const { traces, spool, other, call, loaded, named } = openTraces();
  await traces.appended(call, 1);
  await traces.appended(call, 3);
  other.loadedTo = other.end;
  loaded();
  expect(named("load").map(({ hasEnded }) => hasEnded)).toEqual([false, true]);
  spool.loadedTo = spool.end;
  loaded();
  expect(named("load").map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
});

it("ends the spans of a project that is no longer followed, which make room", async () => {
  const { traces, spools, call, loaded, named } = openTraces();
  for (let calls = 0; calls < 1_000; calls++) await traces.appended(call, 1);
  spools.delete(1);
  await traces.appended(call, 3);
  expect(named("load").map(({ failure }) => failure?.type)).toEqual([
    ...Array<string>(1_000).fill("unavailable"),
    undefined,
  ]);
  loaded();
  expect(named("load batch")).toEqual([]);
});

it("ends spans in the order of their records, also when their places become known in another", async () => {
  const { traces, spool, call, loaded, named } = openTraces();
  spool.end = { number: 1, offset: 200 };
  await traces.appended(call, 1);
  spool.end = { number: 1, offset: 100 };
  await traces.appended(call, 1);
  spool.loadedTo = { number: 1, offset: 100 };
  loaded();
  expect(named("load").map(({ hasEnded }) => hasEnded)).toEqual([false, true]);
});

it("compares few places for each call, however many wait", async () => {
  const { traces, spool, call } = openTraces();
  spool.loadedTo = { number: 1, offset: 50 };
  for (let calls = 0; calls < 900; calls++) await traces.appended(call, 1);
  expect(spool.compared).toBeLessThan(10 * 900);
});
