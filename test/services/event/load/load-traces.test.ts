import { expect, it } from "vitest";
import type { LoadObserver } from "../../../../services/event/load/load.ts";
import { createLoadTraces } from "../../../../services/event/load/load-traces.ts";
import type { PendingRecords } from "../../../../services/event/pending.ts";
import type { SpoolPlace } from "../../../../store/events/events.ts";
import { createNotingTracer } from "../../../base/trace/noting-tracer.ts";

type Loaded = Parameters<LoadObserver["loaded"]>;

function openTraces() {
  const { tracer, spans } = createNotingTracer();
  const spool: { end: SpoolPlace; loadedTo: SpoolPlace | undefined } = {
    end: { number: 1, offset: 100 },
    loadedTo: undefined,
  };
  const records = {
    end: async () => spool.end,
    loadedTo: () => spool.loadedTo,
  } as unknown as PendingRecords;
  const pending = (projectId: number) => (projectId === 1 ? records : undefined);
  const traces = createLoadTraces({ tracer, pending, now: () => 5_000 });
  const call = tracer.startSpan("call", {});
  const loaded = () => traces.loaded(...([{ counts: { records: 3 } }, { loadMs: 20 }] as unknown as Loaded));
  const named = (name: string) => spans.filter((span) => span.name === name);
  return { traces, spool, call, loaded, named };
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
