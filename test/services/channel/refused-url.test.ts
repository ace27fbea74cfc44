import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { channelOf } from "./channels/sample-channel.ts";
import { openSender } from "./sender-rig.ts";

async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.then(() => undefined).catch((error: unknown) => error));
}

const refused = "https://inside.example.com/hook";
const refusedAddress = async (url: string) => (url === refused ? "the address is not public" : undefined);

it("a channel is not made with an address that nothing is sent to", async () => {
  await using rig = await openSender({ refusedAddress });
  const failure = await failureOf(rig.client.createChannel({ channel: channelOf({ url: refused }) }));
  expect([failure.code, failure.rawMessage]).toEqual([
    Code.InvalidArgument,
    "channel.url is refused: the address is not public",
  ]);
  expect((await rig.client.listChannels({})).channels).toEqual([]);
});

it("a channel is not changed to such an address", async () => {
  await using rig = await openSender({ refusedAddress });
  await rig.client.createChannel({ channel: channelOf() });
  const change = rig.client.updateChannel({ channelId: "c1", channel: channelOf({ url: refused }) });
  expect(await failureOf(change)).toMatchObject({
    rawMessage: "channel.url is refused: the address is not public",
  });
});

it("a channel that has such an address already can be changed, with a warning", async () => {
  let reason: string | undefined;
  await using rig = await openSender({ refusedAddress: async () => reason });
  await rig.client.createChannel({ channel: channelOf() });
  reason = "the address is not public";
  const changed = await rig.client.updateChannel({ channelId: "c1", channel: channelOf({ name: "Mail" }) });
  expect(changed.channel?.name).toBe("Mail");
  expect(changed.warnings).toContain("messages cannot be sent to url: the address is not public");
});
