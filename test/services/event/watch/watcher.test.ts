import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it, onTestFinished } from "vitest";
import { quietMs } from "../../../../base/async/watch-ring.ts";
import { RecordWatcher } from "../../../../gen/engage/event/v1/record_watcher_pb.ts";
import { createSampler } from "../../../../services/event/watch/sample.ts";
import { createRecordWatches } from "../../../../services/event/watch/watch.ts";
import { createRecordWatcher } from "../../../../services/event/watch/watcher.ts";
import { FakeClock } from "../../../base/async/fake-clock.ts";

async function openWatch() {
  const watches = createRecordWatches();
  const clock = new FakeClock();
  const { signal: stopping } = new AbortController();
  const service = createRecordWatcher({ watches, projects: [{ id: 1 }], stopping, clock });
  const transport = createRouterTransport((router) => router.service(RecordWatcher, service));
  const caller = new AbortController();
  onTestFinished(() => caller.abort());
  const responses = createClient(RecordWatcher, transport)
    .watchRecords({ projectId: 1n }, { signal: caller.signal })
    [Symbol.asyncIterator]();
  await responses.next();
  return { watches, clock, caller, next: () => responses.next() };
}

it("a quiet watch gets a response without records, and then the next records", async () => {
  const { watches, clock, next } = await openWatch();
  const quiet = next();
  await clock.advance(quietMs);
  expect((await quiet).value).toMatchObject({ records: [], skipped: 0n });
  const sampler = createSampler(watches.filters())!;
  const source = { projectId: 1, receivedMs: 5, appid: "a", record: { "#type": "track" } };
  sampler.add(source, { verdict: "accepted", dropped: [] });
  watches.publish(sampler.close());
  expect((await next()).value).toMatchObject({ records: [{ appid: "a", type: "track" }], skipped: 0n });
});

it("a watch is closed with its call", async () => {
  const { watches, caller, next } = await openWatch();
  expect(watches.filters()).toHaveLength(1);
  const last = next();
  caller.abort();
  await expect(last).rejects.toThrow();
  await expect.poll(() => watches.filters()).toBeUndefined();
});
