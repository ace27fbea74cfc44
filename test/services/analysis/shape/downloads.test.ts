import { expect, it } from "vitest";
import { EventDownloadQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { returnCodes } from "../../../../services/analysis/refusal/refusal.ts";
import { TooManyQueriesError } from "../../../../store/events/events.ts";
import type { Asked } from "../describe/described.ts";
import { analyze, call, collect, engineOn, entriesOf, labelOf, queryOf } from "./answers.ts";
import type { Script } from "./scripted-store.ts";

const view = { groupBy: [{ columnName: "brand", tableType: "event", columnDesc: "Brand" }] };
const script = (count: number, steps = 2): Script => ({
  groups: () =>
    Array.from({ length: count }, (_, i) => ({
      key: [`g${i % 7}-${i}`],
      cells: () => new Array(steps).fill(i % 7),
    })),
});

async function download(given: Script, asked: Asked) {
  const { engine, held } = engineOn(given);
  const query = queryOf(EventDownloadQuerySchema, { ...asked, view: { recentDay: "1-2", ...asked.view } });
  const pieces = [];
  for await (const { content } of engine.download(query, call())) pieces.push(content);
  return { pieces, held };
}

it("tells first what the entries are made of", async () => {
  const { pieces } = await download(script(1), { view, body: { zoneOffset: 8 } });
  expect(pieces[0]).toMatchObject({
    case: "header",
    value: {
      groupColumns: [{ name: "brand", displayName: "Brand" }],
      x: [{ label: "2026-08-24" }, { label: "2026-08-25" }],
      xCompared: [],
      info: { range: { startTime: "2026-08-24 00:00:00" }, truncated: false },
    },
  });
});

it("has all groups, in the order of an answer without a limit", async () => {
  const { pieces, held } = await download(script(1_500), { view });
  const entries = pieces.flatMap((piece) => (piece.case === "rows" ? entriesOf(piece.value) : []));
  const whole = await analyze(script(1_500), { view, body: { limit: 10_000 } });
  expect(entries).toEqual(entriesOf(whole.y[0]!));
  expect(held()).toBe(0);
});

// A count of 0 in a shared scan makes no group, so that 600 of the 700 groups remain.
it("comes in pieces, each with the heading of its metric", async () => {
  const events = ["login", "pay"].map((eventName) => ({
    type: "normal",
    eventName,
    analysis: "TOTAL_TIMES",
  }));
  const { pieces } = await download(script(700, 365), { view: { ...view, recentDay: "1-365" }, events });
  const rows = pieces.filter((piece) => piece.case === "rows").map(({ value }) => value);
  expect(rows.map(({ resultKey, groupNum, entries }) => [resultKey, groupNum, entries.length])).toEqual(
    ["login", "pay"].flatMap((event) =>
      [136, 136, 136, 136, 56].map((length) => [`${event}.TOTAL_TIMES`, 600, length]),
    ),
  );
});

it("reads more numbers than may be held at once piece by piece", async () => {
  // There are 4.2 million numbers: 3,000 groups of 1,400 days.
  const { pieces } = await download(script(3_000, 1_400), { view: { ...view, recentDay: "1-1400" } });
  const entries = pieces.flatMap((piece) => (piece.case === "rows" ? piece.value.entries : []));
  expect(new Set(entries.map(({ groupCols }) => labelOf(groupCols[0]!))).size).toBe(3_000);
  expect(
    entries.every(({ groupCols, values }) => values!.numbers[1_399] === Number(labelOf(groupCols[0]!)![1])),
  ).toBe(true);
});

it("keeps nothing of the store when its caller leaves", async () => {
  const { engine, held } = engineOn(script(1_000));
  const query = queryOf(EventDownloadQuerySchema, { view: { ...view, recentDay: "1-2" } });
  for await (const { content } of engine.download(query, call())) {
    expect([content.case, held()]).toEqual(["header", 1]);
    break;
  }
  expect(held()).toBe(0);
});

it("stops when the signal is aborted", async () => {
  const { engine } = engineOn(script(1_000));
  const gone = AbortSignal.abort(new Error("gone"));
  const pieces = engine.download(queryOf(EventDownloadQuerySchema, { view }), call(gone));
  await expect(collect(pieces)).rejects.toThrow("gone");
});

it("tells what ails its store before the first piece", async () => {
  const { engine } = engineOn({ fault: new TooManyQueriesError("2 run") });
  const pieces = engine.download(queryOf(EventDownloadQuerySchema, { view }), call());
  await expect(collect(pieces)).rejects.toMatchObject({ returnCode: returnCodes.busy });
});
