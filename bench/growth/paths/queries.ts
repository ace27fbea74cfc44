import { join } from "node:path";
import { openData } from "../../analysis/generated.ts";
import { restRequests } from "../../analysis/rest-requests.ts";
import { query, startService } from "../../analysis/service.ts";
import { freePort, type Server } from "../../harness/processes.ts";
import { each, type GrowthPath, type OpenPath, refusalIn, repeatedly, textOf } from "../measure.ts";
import { dayText, eventLine, importFiles, serveData, writeLines } from "../project.ts";

const analyze = "/open/event-analyze";

/** Reads a result of an analysis, whose HTTP status is 200 also when it is refused. */
export async function ask(server: Server, body: object): Promise<void> {
  const text = await textOf(await query(server, analyze, body));
  if (!/^\{"return_code":0,/.test(text)) throw new Error(text.slice(0, 1_000));
}

const refusalOf = async (server: Server, body: object): Promise<string> =>
  await refusalIn(await query(server, analyze, body));

const count = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
const countBy = (columnName: string) => ({
  events: count,
  eventView: {
    startTime: dayText(0),
    endTime: dayText(29),
    timeParticleSize: "total",
    groupBy: [{ columnName, tableType: "event" }],
  },
});

const withServers = (points: OpenPath["points"], servers: AsyncDisposable, refusal?: string): OpenPath => ({
  points,
  ...(refusal !== undefined && { refusal }),
  [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
});

/** Returns a data folder with this many generated events of a month. The largest is kept for other benchmarks too. */
export async function generatedData(events: number): Promise<string> {
  const data = events === 10_000_000 ? "data/bench-analysis" : join("data/bench-growth", String(events));
  return await openData({ data, events: String(events) });
}

const byEvents: GrowthPath = {
  name: "query-events",
  sizes: [10_000, 100_000, 1_000_000, 10_000_000],
  async open(sizes) {
    await using opened = new AsyncDisposableStack();
    const { body } = restRequests["uniques by city and day"]!;
    const points = [];
    for (const work of sizes) {
      const server = opened.use(await startService(await freePort(), await generatedData(work)));
      points.push({
        work,
        measure: repeatedly(
          server,
          each(() => ask(server, body)),
        ),
      });
    }
    return withServers(points, opened.move());
  },
};

/** Events of a project whose property `g100` has 100 values, and so on. */
const groupSizes = [1, 10, 100, 1_000, 10_000];
const groupEvents = 500_000;

const byGroups: GrowthPath = {
  name: "query-groups",
  sizes: groupSizes,
  async open(sizes) {
    const file = writeLines(groupEvents, (at) =>
      eventLine(
        at % 50_000,
        at % 30,
        Object.fromEntries(groupSizes.map((size) => [`g${size}`, `v${at % size}`])),
      ),
    );
    const server = await serveData((await importFiles([file])).data);
    const limit = 10_000;
    const points = sizes.map((work) => ({
      work,
      measure: repeatedly(
        server,
        each(() => ask(server, { ...countBy(`g${work}`), limit })),
      ),
    }));
    return withServers(points, server, await refusalOf(server, { ...countBy("g1"), limit: limit + 1 }));
  },
};

const daysOfProject = 1_000;
const eventsOfDay = 200;

const byDays: GrowthPath = {
  name: "query-days",
  sizes: [1, 10, 100, daysOfProject],
  async open(sizes) {
    const file = writeLines(daysOfProject * eventsOfDay, (at) =>
      eventLine(at % 5_000, Math.floor(at / eventsOfDay), { city: `city_${at % 40}` }),
    );
    const server = await serveData((await importFiles([file])).data);
    const range = (first: number, last: number, timeParticleSize: string) => ({
      events: count,
      eventView: { startTime: dayText(first), endTime: dayText(last), timeParticleSize },
    });
    const points = sizes.map((work) => ({
      work,
      measure: repeatedly(
        server,
        each(() => ask(server, range(daysOfProject - work, daysOfProject - 1, "day"))),
      ),
    }));
    return withServers(points, server, await refusalOf(server, range(0, daysOfProject - 1, "minute")));
  },
};

/** Each record has `p0`, by which the query groups, and nine of the others. */
const propertiesOfRecord = 10;

const byProperties: GrowthPath = {
  name: "query-properties",
  sizes: [10, 100, 1_000],
  async open(sizes) {
    await using opened = new AsyncDisposableStack();
    const points = [];
    for (const work of sizes) {
      const file = writeLines(50_000, (at) => {
        const others = Array.from(
          { length: propertiesOfRecord - 1 },
          (_, n) => 1 + ((at * 9 + n) % (work - 1)),
        );
        const own = [0, ...others].map((number) => [`p${number}`, `v${at % 20}`]);
        return eventLine(at % 5_000, at % 30, Object.fromEntries(own));
      });
      const server = opened.use(await serveData((await importFiles([file])).data));
      points.push({
        work,
        measure: repeatedly(
          server,
          each(() => ask(server, countBy("p0"))),
        ),
      });
    }
    return withServers(points, opened.move());
  },
};

export const queryPaths: readonly GrowthPath[] = [byEvents, byGroups, byDays, byProperties];
