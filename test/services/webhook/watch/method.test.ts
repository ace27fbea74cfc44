import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it, onTestFinished } from "vitest";
import { quietMs } from "../../../../base/async/watch-ring.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { createWatchMethod } from "../../../../services/webhook/watch/method.ts";
import { createDeliveryWatches } from "../../../../services/webhook/watch/watch.ts";
import { FakeClock } from "../../../base/async/fake-clock.ts";

it("a quiet watch gets a response without events, and then the next events", async () => {
  const watches = createDeliveryWatches({ now: () => 0 });
  const clock = new FakeClock();
  const { signal: stopSignal } = new AbortController();
  const method = createWatchMethod({ watches, stopSignal, clock });
  const transport = createRouterTransport((router) => router.service(WebhookReceiver, method));
  const caller = new AbortController();
  onTestFinished(() => caller.abort());
  const responses = createClient(WebhookReceiver, transport)
    .watchDeliveries({}, { signal: caller.signal })
    [Symbol.asyncIterator]();
  await responses.next();
  const quiet = responses.next();
  await clock.advance(quietMs);
  expect((await quiet).value).toMatchObject({ events: [], skipped: 0n });
  watches.accepted("c", { batchId: "b1", accepted: 1, failed: 0 });
  expect((await responses.next()).value).toMatchObject({ events: [{ batchId: "b1" }], skipped: 0n });
});
