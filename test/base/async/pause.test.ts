import { expect, it } from "vitest";
import { createPause } from "../../../base/async/pause.ts";

it("waits for running work, and holds later work back until it ends", async () => {
  const pause = createPause();
  const trace: string[] = [];
  const first = Promise.withResolvers<void>();
  const running = pause.run(async () => {
    await first.promise;
    trace.push("first");
  });
  const holding = pause.hold().then((release) => {
    trace.push("held");
    return release;
  });
  const later = pause.run(async () => void trace.push("later"));
  first.resolve();
  const release = await holding;
  await running;
  expect(trace).toEqual(["first", "held"]);
  release();
  await later;
  expect(trace).toEqual(["first", "held", "later"]);
});

it("lets one hold follow another", async () => {
  const pause = createPause();
  const trace: string[] = [];
  const release = await pause.hold();
  const next = pause.hold().then((end) => {
    trace.push("second");
    end();
  });
  trace.push("first");
  release();
  await next;
  expect(trace).toEqual(["first", "second"]);
  expect(await pause.run(async () => 1)).toBe(1);
});

it("passes failures of work on, and ends the wait of a hold", async () => {
  const pause = createPause();
  const failed = pause.run(() => Promise.reject(new Error("broken")));
  const release = pause.hold();
  await expect(failed).rejects.toThrow("broken");
  (await release)();
});
