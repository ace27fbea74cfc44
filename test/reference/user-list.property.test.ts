import { describe, expect, it } from "vitest";
import { generateRequest, type Request } from "./generate-request.ts";
import type { Label } from "./groups.ts";
import { type Judge, openJudge } from "./judge.ts";
import { createRandom, type Random } from "./random.ts";
import { scenes } from "./scenes.ts";
import { seed } from "./seed.ts";
import type { Answer } from "./subject.ts";

const requestsPerScene = 16;
const slicesPerRequest = 6;

/** One number of a result. */
interface Slice {
  readonly index: number;
  readonly cols: readonly Label[];
  /** Undefined: the metric is not split. */
  readonly split: Label | undefined;
  /** Undefined: the whole period. */
  readonly bucket: number | undefined;
}

describe(`users of random numbers, TEST_SEED=${seed}`, () => {
  it.each(scenes)("are those of the reference, zone $project.zone", { timeout: 240_000 }, async (scene) => {
    const random = createRandom(seed + 7 * scene.project.projectId);
    await using judge = await openJudge(scene, random, 400);
    const faults: (string | undefined)[] = [];
    for (let asked = 0; asked < requestsPerScene; asked++) {
      const request = generateRequest(random, scene);
      const answer = await judge.subject.analyze(request);
      const slices = pickSlices(random, answer);
      for (const slice of slices) {
        const list = listRequest(request, answer, slice);
        faults.push(await judge.judgeUsers({ ...list, ...respell(random, list) }));
      }
    }
    expect(faults.length).toBeGreaterThan(requestsPerScene);
    expect(faults.filter((fault) => fault !== undefined).slice(0, 5)).toEqual([]);
  });

  it.each(scenes)("are as many as TRIG_USER_NUM, zone $project.zone", { timeout: 240_000 }, async (scene) => {
    const random = createRandom(seed - 7 * scene.project.projectId);
    await using judge = await openJudge(scene, random, 400);
    const lengths: Lengths[] = [];
    for (let asked = 0; asked < requestsPerScene; asked++) {
      const request = withoutFormulas(generateRequest(random, scene));
      lengths.push(...(await compareLengths(judge, random, request)));
    }
    expect(lengths.length).toBeGreaterThan(requestsPerScene);
    expect(lengths.filter(({ listed, counted }) => listed !== counted).slice(0, 5)).toEqual([]);
  });
});

interface Lengths {
  readonly listed: number;
  readonly counted: number | null;
  readonly request: string;
}

/** Compares the list of each metric with the number of users of the same events. */
async function compareLengths(judge: Judge, random: Random, request: Request): Promise<Lengths[]> {
  const answer = await judge.subject.analyze(withUniques(request));
  const compared: Lengths[] = [];
  for (const slice of pickSlices(random, answer)) {
    const list = listRequest(request, answer, slice);
    const listed = (await judge.subject.listUsers(list)).length;
    const whole = { ...withUniques(request), eventView: { ...viewOf(request), timeParticleSize: "total" } };
    const counting = slice.bucket === undefined ? await judge.subject.analyze(whole) : answer;
    compared.push({ listed, counted: numberAt(counting, slice), request: JSON.stringify(list) });
  }
  return compared;
}

/** Zero where the group has no event in that period. */
function numberAt({ results }: Answer, { index, cols, split, bucket = 0 }: Slice): number | null {
  const result = results.find((one) => one.index === index && one.split === split);
  const group = result?.groups.find((one) => JSON.stringify(one.cols) === JSON.stringify(cols));
  return group?.values[bucket] ?? 0;
}

function pickSlices(random: Random, { results, x }: Answer): Slice[] {
  const numbers = results.flatMap(({ index, split, groups }) =>
    groups.map(({ cols }) => ({ index, split, cols })),
  );
  return Array.from({ length: Math.min(slicesPerRequest, numbers.length) }, () => ({
    ...random.pick(numbers),
    bucket: random.chance(0.2) ? undefined : random.int(0, x.length - 1),
  }));
}

function listRequest(request: Request, answer: Answer, { index, cols, split, bucket }: Slice): Request {
  const { limit: _, useCache: __, useSameResultKey: ___, ...rest } = request;
  return {
    ...rest,
    eventIndex: index,
    sliceGroupVal: [...cols, ...(split === undefined ? [] : [split])].map(writeLabel),
    ...(bucket !== undefined && { sliceDate: answer.x[bucket] }),
  };
}

/** As answers write it. */
function writeLabel(label: Label): string {
  if (label === null) return "(null)";
  return label.replace(/^(\\*\(null\))$/, "\\$1");
}

/** Another text for the slice's date, or another date, now and then. */
function respell(random: Random, { sliceDate }: Request): Request {
  if (typeof sliceDate !== "string" || random.chance(0.5)) return {};
  const inFull = `${sliceDate}${"....-01-01 00:00:00".slice(sliceDate.length)}`;
  const others = ["2024", "2024-03", "2024-03-26", "2024-03-28 09:00", "2021-12-27", "2024-02-30", "soon"];
  return { sliceDate: random.pick([inFull, inFull, ...others]) };
}

function viewOf(request: Request): Request {
  return request["eventView"] as Request;
}

/** Formulas have more than one kind of events. */
function withoutFormulas(request: Request): Request {
  const view = viewOf(request);
  const events = (request["events"] as Request[]).map((metric) => {
    const { quotaTimeRanges: _, customFilters: __, ...rest } = metric;
    const isPlain = metric["analysis"] !== undefined;
    return isPlain ? rest : { type: "normal", eventName: "login", analysis: "TOTAL_TIMES" };
  });
  return { ...request, eventView: { ...view, comparedByTime: false }, events, limit: 10_000 };
}

function withUniques(request: Request): Request {
  const events = (request["events"] as Request[]).map(
    ({ quota: _, analysisParams: __, quotaEntities: ___, ...metric }) => ({
      ...metric,
      analysis: "TRIG_USER_NUM",
    }),
  );
  return { ...request, events };
}
