import { expect, it } from "vitest";
import { casesOf } from "../thorough.ts";
import { openJudge } from "./judge.ts";
import { createRandom } from "./random.ts";
import { testRandomRequests } from "./random-requests.ts";
import { scenes } from "./scenes.ts";

testRandomRequests("", { perScene: casesOf(400), timeoutMs: 240_000 });

it("a condition on membership names a cohort whatever its tableType is", async () => {
  const scene = scenes.find(({ project }) => project.projectId === 2)!;
  await using judge = await openJudge(scene, createRandom(1), 50);
  const filts = ["belongToCluster", "notBelongToCluster"].flatMap((comparator) =>
    [{}, { tableType: "event" }, { tableType: "user_cluster" }].map((table) => ({
      columnName: "adults",
      comparator,
      ...table,
    })),
  );
  const eventView = {
    timeParticleSize: "day",
    startTime: "2024-03-28 00:00:00",
    endTime: "2024-03-29 00:00:00",
  };
  const events = filts.map((filt) => ({
    type: "normal",
    eventName: "anyEvent",
    analysis: "TOTAL_TIMES",
    filts: [filt],
  }));
  expect(await judge.judge({ projectId: 2, eventView, events })).toBeUndefined();
});
