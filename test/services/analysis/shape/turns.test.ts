import { expect, it } from "vitest";
import { itemsPerYield } from "../../../../base/async/yield.ts";
import type { GroupTable } from "../../../../services/analysis/shape/group-table.ts";
import { rankGroups } from "../../../../services/analysis/shape/metric-groups.ts";
import { type RankedResult, rankResult } from "../../../../services/analysis/shape/ranked-result.ts";
import { runScans } from "../../../../services/analysis/shape/scan-run.ts";
import { shapeAnalysis, shapeDownload } from "../../../../services/analysis/shape/shape.ts";
import { describe, noon } from "../describe/described.ts";
import { collect } from "./answers.ts";
import { byBrand, group, metric } from "./plans.ts";
import { createScriptedStore } from "./scripted-store.ts";

const count = 5_000;

/** Counts steps of work, and the most of them between two moments at which the event loop may do other work. */
function createTurns() {
  let steps = 0;
  let most = 0;
  return {
    step<T>(value: T): T {
      most = Math.max(most, ++steps);
      return value;
    },
    yieldToEventLoop: async () => {
      steps = 0;
    },
    most: () => most,
  };
}

type Turns = ReturnType<typeof createTurns>;

async function rankedGroups(): Promise<RankedResult> {
  const groups = Array.from({ length: count }, (_, i) => group([`brand ${i}`], [i + 1, 0]));
  const { store } = createScriptedStore({ groups: () => groups });
  const plan = describe({ view: { recentDay: "1-2", ...byBrand }, events: [metric("TOTAL_TIMES")] });
  const runs = await runScans(plan, store, new AsyncDisposableStack(), new AbortController().signal);
  return rankResult(plan, runs, count, async () => {});
}

/** Counts each group that is looked up. */
const counted = (table: GroupTable, { step }: Turns): GroupTable => ({
  ...table,
  place: (...of) => step(table.place(...of)),
  *groupsOf(...of) {
    for (const group of table.groupsOf(...of)) yield step(group);
  },
});

const ranking = (ranked: RankedResult, turns: Turns) =>
  rankGroups(ranked.plan.metrics[0]!, undefined, {
    ...ranked,
    table: counted(ranked.table, turns),
    yieldToEventLoop: turns.yieldToEventLoop,
    compare: () => 0,
    limit: count,
  });

/** Counts each group whose columns are shaped. */
const shapingBy =
  (shape: (ranked: RankedResult) => Promise<unknown>) => (ranked: RankedResult, turns: Turns) =>
    shape({
      ...ranked,
      colsOf: (of) => turns.step(ranked.colsOf(of)),
      yieldToEventLoop: turns.yieldToEventLoop,
    });

it.each<[string, (ranked: RankedResult, turns: Turns) => Promise<unknown>, number]>([
  ["ranking", ranking, 2 * itemsPerYield],
  ["shaping a result", shapingBy((ranked) => shapeAnalysis(ranked, count, noon)), 1],
  ["shaping a download", shapingBy((ranked) => collect(shapeDownload(ranked))), 1],
])("%s looks at a bounded number of groups in a turn", async (_, work, most) => {
  const turns = createTurns();
  await work(await rankedGroups(), turns);
  expect(turns.most()).toBeGreaterThan(0);
  expect(turns.most()).toBeLessThanOrEqual(most);
});
