import { setImmediate as turn } from "node:timers/promises";
import { createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { createLateService } from "../../../../cmd/serve/lazy/late-service.ts";
import { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";

type Sender = ServiceImpl<typeof ChannelSender>;

/** Each implementation that is loaded numbers its channels anew. */
function numbering(): Sender {
  let channels = 0;
  const next = (): string => `c${++channels}`;
  return {
    getChannel: () => ({ channel: { channelId: next() } }),
    async *watchTask() {
      yield { progress: { taskId: next() } };
    },
  } as Partial<Sender> as Sender;
}

function clientOf(load: () => Promise<Sender>) {
  const service = createLateService(ChannelSender, load);
  return createClient(
    ChannelSender,
    createRouterTransport(({ service: serve }) => void serve(ChannelSender, service)),
  );
}

it("loads once for calls and streams that come at the same time and later", async () => {
  let loads = 0;
  const client = clientOf(async () => {
    loads++;
    return numbering();
  });
  const watched = async (): Promise<string | undefined> => {
    const stream = client.watchTask({})[Symbol.asyncIterator]();
    return (await stream.next()).value?.progress?.taskId;
  };
  const called = async (): Promise<string | undefined> => (await client.getChannel({})).channel?.channelId;
  const together = await Promise.all([called(), called(), watched(), watched()]);
  expect(together.toSorted()).toEqual(["c1", "c2", "c3", "c4"]);
  expect([await watched(), await called()]).toEqual(["c5", "c6"]);
  expect(loads).toBe(1);
});

it("tells all who wait of a failure, and loads again for the next", async () => {
  const outcomes = [Promise.withResolvers<Sender>(), Promise.withResolvers<Sender>()];
  const left = [...outcomes];
  const client = clientOf(() => left.shift()!.promise);
  const waiting = Promise.allSettled([client.getChannel({}), client.getChannel({})]);
  await turn();
  outcomes[0]!.reject(new Error("no disk"));
  expect((await waiting).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  outcomes[1]!.resolve(numbering());
  expect(await client.getChannel({})).toMatchObject({ channel: { channelId: "c1" } });
});
