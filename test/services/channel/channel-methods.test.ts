import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { ChannelsUnavailableError } from "../../../store/channels/channels.ts";
import { channelOf } from "./channels/sample-channel.ts";
import { openSender, type SenderRig } from "./sender-rig.ts";

async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.then(() => undefined).catch((error: unknown) => error));
}

describe("channels", () => {
  it("are made, shown without secrets, changed and deleted", async () => {
    await using rig = await openSender();
    const { channel } = await rig.client.createChannel({ channel: channelOf() });
    expect(channel).toMatchObject({
      channelId: "c1",
      etag: "v1",
      name: "Game mail",
      authentication: { secret: "", secretIsSet: true, headerName: "X-SVC-OPS-Signature" },
      customHeaders: [
        { name: "Authorization", value: "", valueIsSet: true },
        { name: "X-Game", value: "", valueIsSet: true },
      ],
      delivery: { rateLimit: 100, strictValidation: true },
    });
    const changed = await rig.client.updateChannel({
      channelId: "c1",
      channel: { ...channel!, name: "Mail" },
    });
    expect(changed.channel).toMatchObject({ channelId: "c1", etag: "v2", name: "Mail" });
    expect((await rig.client.getChannel({ channelId: "c1" })).channel).toEqual(changed.channel);
    await rig.client.testChannel({ channelId: "c1", pushId: "a" });
    expect(rig.tests[0]!.channel.authentication?.secret).toBe("a secret");
    expect(rig.tests[0]!.channel.customHeaders[0]?.value).toBe("Bearer abc");
    await rig.client.deleteChannel({ channelId: "c1", etag: "v2" });
    expect((await rig.client.listChannels({})).channels).toEqual([]);
  });

  it("are listed in pages, each token for its own list", async () => {
    await using rig = await openSender();
    for (const name of ["b", "a", "c"]) await rig.client.createChannel({ channel: channelOf({ name }) });
    const first = await rig.client.listChannels({ pageSize: 2, projectId: 1n });
    expect(first.channels.map(({ name }) => name)).toEqual(["a", "b"]);
    const next = { pageSize: 2, projectId: 1n, pageToken: first.nextPageToken };
    const second = await rig.client.listChannels(next);
    expect([second.channels.map(({ name }) => name), second.nextPageToken]).toEqual([["c"], ""]);
    const foreign = await failureOf(rig.client.listChannels({ ...next, projectId: 0n }));
    expect([foreign.code, foreign.rawMessage]).toEqual([
      Code.InvalidArgument,
      "page_token is not one of this list with this filter, begin again without it",
    ]);
  });

  it("are refused with every field that is wrong", async () => {
    await using rig = await openSender();
    const channel = channelOf({ name: "", delivery: { batchSize: 501 } });
    const failure = await failureOf(rig.client.createChannel({ channel }));
    expect(failure.code).toBe(Code.InvalidArgument);
    expect(failure.findDetails(BadRequestSchema)[0]?.fieldViolations).toMatchObject([
      { field: "channel.name", description: "channel.name is required" },
      {
        field: "channel.delivery.batch_size",
        description: "channel.delivery.batch_size is 501, valid are 1 to 500",
      },
    ]);
  });

  it.each<
    [string, Code, string, (client: Awaited<ReturnType<typeof openSender>>["client"]) => Promise<unknown>]
  >([
    ["no channel", Code.InvalidArgument, "channel is required", (client) => client.createChannel({})],
    [
      "an id of a new channel",
      Code.InvalidArgument,
      'channel.channel_id is "c9", which the service assigns: it must be empty here',
      (client) => client.createChannel({ channel: channelOf({ name: "new", channelId: "c9" }) }),
    ],
    [
      "an etag of a new channel",
      Code.InvalidArgument,
      'channel.etag is "v1", which the service assigns: it must be empty here',
      (client) => client.createChannel({ channel: channelOf({ name: "new", etag: "v1" }) }),
    ],
    [
      "a name in use",
      Code.AlreadyExists,
      'channel.name is "Game mail", which is the name of another channel',
      (client) => client.createChannel({ channel: channelOf() }),
    ],
    [
      "an unknown id",
      Code.NotFound,
      'there is no channel "c9"',
      (client) => client.getChannel({ channelId: "c9" }),
    ],
    [
      "an unknown id to change",
      Code.NotFound,
      'there is no channel "c9"',
      (client) => client.updateChannel({ channelId: "c9", channel: channelOf() }),
    ],
    [
      "an unknown id to delete",
      Code.NotFound,
      'there is no channel "c9"',
      (client) => client.deleteChannel({ channelId: "c9" }),
    ],
    [
      "an older etag",
      Code.Aborted,
      'channel.etag is "v0", which is not the current one',
      (client) => client.updateChannel({ channelId: "c1", channel: channelOf({ etag: "v0" }) }),
    ],
    [
      "an etag that is none",
      Code.Aborted,
      'etag is "1", which is not the current one',
      (client) => client.deleteChannel({ channelId: "c1", etag: "1" }),
    ],
    [
      "the id of another channel",
      Code.InvalidArgument,
      'channel.channel_id is "c2", valid is "c1" or none',
      (client) => client.updateChannel({ channelId: "c1", channel: channelOf({ channelId: "c2" }) }),
    ],
    [
      "a large page",
      Code.InvalidArgument,
      "page_size is 1001, valid are 1 to 1000, or 0 for 100",
      (client) => client.listChannels({ pageSize: 1_001 }),
    ],
    [
      "an unknown project",
      Code.InvalidArgument,
      "project_id is 2, valid are 1",
      (client) => client.estimateAudience({ projectId: 2n, pushIdProperty: "a", audience: {} }),
    ],
    [
      "no audience",
      Code.InvalidArgument,
      "audience is required",
      (client) => client.estimateAudience({ projectId: 1n, pushIdProperty: "a" }),
    ],
    [
      "an audience without source",
      Code.InvalidArgument,
      "audience.source is required, valid are push_ids, users, analysis and cohort",
      (client) => client.estimateAudience({ projectId: 1n, pushIdProperty: "a", audience: {} }),
    ],
    [
      "a test of nothing",
      Code.InvalidArgument,
      "channel or channel_id is required",
      (client) => client.testChannel({ pushId: "a" }),
    ],
    [
      "a test to nobody",
      Code.InvalidArgument,
      "push_id is required",
      (client) => client.testChannel({ channelId: "c1" }),
    ],
    [
      "a test to blanks",
      Code.InvalidArgument,
      "push_id is required",
      (client) => client.testChannel({ channelId: "c1", pushId: " \t" }),
    ],
    [
      "a test of two",
      Code.InvalidArgument,
      "channel_id is set beside channel",
      (client) => client.testChannel({ channelId: "c1", channel: channelOf(), pushId: "a" }),
    ],
    [
      "a test with a wrong content",
      Code.InvalidArgument,
      'content.values["amount"] is "x", valid are numbers',
      (client) =>
        client.testChannel({
          channelId: "c1",
          pushId: "a",
          content: {
            values: {
              amount: { value: { case: "text", value: "x" } },
              title: { value: { case: "text", value: "t" } },
            },
          },
        }),
    ],
  ])("answer %s", async (_what, code, message, call) => {
    await using rig = await openSender();
    await rig.client.createChannel({ channel: channelOf() });
    const failure = await failureOf(call(rig.client));
    expect([failure.code, failure.rawMessage]).toEqual([code, expect.stringContaining(message)]);
  });

  it("are tested before they are saved, with the secrets of the saved one", async () => {
    await using rig = await openSender();
    const { channel } = await rig.client.createChannel({ channel: channelOf() });
    const answer = await rig.client.testChannel({
      channel: { ...channel!, url: "https://push.example.com/other" },
      pushId: "a",
    });
    expect(answer).toMatchObject({ status: 200, signature: "00ff", strict: { succeeded: true } });
    expect(rig.tests).toMatchObject([
      {
        pushId: "a",
        channel: { url: "https://push.example.com/other", authentication: { secret: "a secret" } },
      },
    ]);
  });

  it("keep secrets that an update leaves out, and say so", async () => {
    await using rig = await openSender();
    await rig.client.createChannel({ channel: channelOf() });
    const bare = { authentication: undefined, customHeaders: [] } as const;
    const answer = await rig.client.updateChannel({ channelId: "c1", channel: channelOf(bare as never) });
    expect(answer.channel).toMatchObject({
      authentication: { secretIsSet: true },
      customHeaders: [
        { name: "Authorization", valueIsSet: true },
        { name: "X-Game", valueIsSet: true },
      ],
    });
    expect(answer.warnings).toEqual([
      expect.stringContaining("authentication was not given and is kept"),
      expect.stringContaining("custom_headers was not given and is kept (Authorization, X-Game)"),
    ]);
    const off = { authentication: { off: true }, customHeaders: [], noCustomHeaders: true };
    const removed = await rig.client.updateChannel({ channelId: "c1", channel: channelOf(off) });
    expect(removed).toMatchObject({ warnings: [], channel: { customHeaders: [], noCustomHeaders: false } });
    expect(removed.channel?.authentication).toBeUndefined();
  });

  it.each<[string, (client: SenderRig["client"], channel: Channel) => Promise<unknown>]>([
    ["an update", (client, channel) => client.updateChannel({ channelId: "c1", channel })],
    ["a test", (client, channel) => client.testChannel({ channel, pushId: "a" })],
  ])("don't send their secrets to another server by %s", async (_what, call) => {
    await using rig = await openSender();
    const { channel } = await rig.client.createChannel({ channel: channelOf() });
    const moved = { ...channel!, url: "https://evil.example.com/mail" };
    const failure = await failureOf(call(rig.client, moved));
    expect(failure.code).toBe(Code.InvalidArgument);
    expect(failure.rawMessage).toMatch(
      /channel\.authentication\.secret .*push\.example\.com.*evil\.example\.com, give it again/,
    );
    expect(failure.rawMessage).toContain("channel.custom_headers[1].value is stored for");
    expect(rig.tests).toEqual([]);
  });

  it("have their audience counted", async () => {
    await using rig = await openSender();
    const audience = { source: { case: "users", value: {} } } as const;
    const request = { projectId: 1n, pushIdProperty: "#account_id", audience } as const;
    expect(await rig.client.estimateAudience(request)).toMatchObject({
      users: 12n,
      reachable: 10n,
      samplePushIds: [],
    });
    expect(await rig.client.estimateAudience({ ...request, sampleSize: 1 })).toMatchObject({
      samplePushIds: ["ann"],
    });
    const failure = await failureOf(rig.client.estimateAudience({ ...request, sampleSize: 11 }));
    expect([failure.code, failure.rawMessage]).toEqual([
      Code.InvalidArgument,
      "sample_size is 11, valid are 0 to 10",
    ]);
  });

  it("report that the store is unavailable", async () => {
    await using rig = await openSender({
      store: {
        channel: () => Promise.reject(new ChannelsUnavailableError("disk full")),
      } as never,
    });
    const failure = await failureOf(rig.client.getChannel({ channelId: "c1" }));
    expect([failure.code, failure.rawMessage]).toEqual([
      Code.Unavailable,
      "the channel store is unavailable",
    ]);
  });
});
