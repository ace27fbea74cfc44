import { expect, it, onTestFinished, vi } from "vitest";
import { repeatWhileWaiting } from "../../../../cmd/serve/event/while-waiting.ts";

/** Work on records of which a test decides when they wait, and when time passes. */
function startWork(faults: (Error | undefined)[] = []) {
  const events: string[] = [];
  const state = { waiting: 0, loads: 0 };
  let growth = Promise.withResolvers<void>();
  let time = Promise.withResolvers<void>();
  const work = repeatWhileWaiting({
    grown: () => growth.promise,
    waitingBytes: async () => state.waiting,
    loads: () => state.loads,
    failed: (error) => events.push((error as Error).message),
    clock: {
      wait(ms, signal) {
        events.push(`wait ${ms}`);
        const stopped = new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve());
        });
        return Promise.race([time.promise, stopped]);
      },
    },
    async open() {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      events.push("opened");
      return { [Symbol.asyncDispose]: async () => void events.push("closed") };
    },
  });
  onTestFinished(() => work[Symbol.asyncDispose]());
  return {
    events,
    state,
    work,
    grow(bytes: number) {
      state.waiting = bytes;
      growth.resolve();
      growth = Promise.withResolvers();
    },
    pass() {
      time.resolve();
      time = Promise.withResolvers();
    },
  };
}

const eventually = (events: readonly string[], wanted: readonly string[]) =>
  vi.waitFor(() => expect(events).toEqual(wanted));

it("opens with the first record, and closes when none was loaded for a minute", async () => {
  const { events, state, grow, pass } = startWork();
  grow(0);
  expect(events).toEqual([]);
  grow(10);
  await eventually(events, ["opened", "wait 60000"]);
  state.waiting = 0;
  state.loads = 1;
  pass();
  await eventually(events, ["opened", "wait 60000", "wait 60000"]);
  pass();
  await eventually(events, ["opened", "wait 60000", "wait 60000", "closed"]);
  grow(10);
  await vi.waitFor(() => expect(events.slice(4)).toEqual(["opened", "wait 60000"]));
});

it("stays open while records wait that cannot be loaded", async () => {
  const { events, grow, pass } = startWork();
  grow(10);
  await eventually(events, ["opened", "wait 60000"]);
  pass();
  await eventually(events, ["opened", "wait 60000", "wait 60000"]);
});

it("tries again when it could not be opened", async () => {
  const { events, grow, pass } = startWork([new Error("away")]);
  grow(10);
  await eventually(events, ["away", "wait 1000"]);
  pass();
  await eventually(events, ["away", "wait 1000", "opened", "wait 60000"]);
});

it.each([
  ["while nothing waits", 0, []],
  ["while it is open", 10, ["opened", "wait 60000", "closed"]],
])("ends %s", async (_when, bytes, wanted) => {
  const { events, work, grow } = startWork();
  grow(bytes);
  await eventually(events, wanted.slice(0, 2));
  await work[Symbol.asyncDispose]();
  expect(events).toEqual(wanted);
});
