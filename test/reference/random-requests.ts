import { describe, expect, it } from "vitest";
import type { Scene } from "./generate-records.ts";
import { generateRequest, type Request } from "./generate-request.ts";
import { openJudge } from "./judge.ts";
import type { OpenStore } from "./loaded-store.ts";
import { createRandom } from "./random.ts";
import { Refused } from "./refused.ts";
import { scenes } from "./scenes.ts";
import { seed } from "./seed.ts";
import { spoilers } from "./spoil-request.ts";

const records = 500;
/** At a time: as many as run, and some that wait. */
const together = 4;

export interface RandomRequestsOptions {
  /** Default: opens a store in DuckDB. */
  readonly openStore?: OpenStore;
  /** Requests for each of the five scenes. Default 400. */
  readonly perScene?: number;
  /** The time for all requests of a scene. */
  readonly timeoutMs: number;
}

/** As `testRandomRequests`, on records of which none changes an earlier event; answers alone. */
export function testAppendOnlyRequests({
  openStore,
  perScene = 400,
  timeoutMs,
}: RandomRequestsOptions): void {
  it.each(scenes)(
    `random requests are answered as by the reference without updates, zone $project.zone, TEST_SEED=${seed}`,
    { timeout: timeoutMs },
    async (scene) => await testAnswers(scene, perScene, openStore, true),
  );
}

async function testAnswers(
  scene: Scene,
  perScene: number,
  openStore: OpenStore | undefined,
  isAppendOnly: boolean,
): Promise<void> {
  const random = createRandom(seed + scene.project.projectId);
  await using judge = await openJudge(scene, random, records, openStore, isAppendOnly);
  const faults: (string | undefined)[] = [];
  for (let asked = 0; asked < perScene; asked += together) {
    const requests = Array.from({ length: together }, () => generateRequest(random, scene));
    faults.push(...(await Promise.all(requests.map((request) => judge.judge(request)))));
  }
  expect(faults).toHaveLength(perScene);
  expect(faults.filter((fault) => fault !== undefined).slice(0, 5)).toEqual([]);
}

/** Tests that random requests are answered as by the reference. */
export function testRandomRequests(
  name: string,
  { openStore, perScene = 400, timeoutMs }: RandomRequestsOptions,
): void {
  const downloads = Math.ceil(perScene / 16);
  describe(`random requests${name}, TEST_SEED=${seed}`, () => {
    it.each(scenes)(
      "are answered as by the reference, zone $project.zone",
      { timeout: timeoutMs },
      async (scene) => await testAnswers(scene, perScene, openStore, false),
    );

    it.each(scenes)(
      "are downloaded with all their groups, zone $project.zone",
      { timeout: timeoutMs / 2 },
      async (scene) => {
        const random = createRandom(seed + 31 * scene.project.projectId);
        await using judge = await openJudge(scene, random, records, openStore);
        const requests = Array.from({ length: downloads }, () => generateRequest(random, scene));
        const faults = await Promise.all(requests.map((request) => judge.judgeDownload(request)));
        expect(faults.filter((fault) => fault !== undefined).slice(0, 5)).toEqual([]);
      },
    );

    it.each(scenes)(
      "that are spoilt are refused, zone $project.zone",
      { timeout: timeoutMs / 4 },
      async (scene) => {
        const random = createRandom(seed - scene.project.projectId);
        await using judge = await openJudge(scene, random, 50, openStore);
        for (const [name, spoil] of Object.entries(spoilers)) {
          const request: Request = structuredClone(generateRequest(random, scene));
          spoil(request, random);
          await expect(judge.subject.analyze(request), name).rejects.toThrow(Refused);
          expect(await judge.judge(request), name).toBeUndefined();
        }
      },
    );
  });
}
