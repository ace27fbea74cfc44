import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, it, vi } from "vitest";
import { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { TaskState } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { openWebhookServer, secret, type WebhookServer } from "../../webhook-server.ts";

const projects = [{ id: 1, appids: ["shop"], zone: "Europe/Berlin" }];
const channel = { outbound: { allow: ["127.0.0.0/8"] } };

/** A server that sends to its own receiver. */
async function openServer(data?: string): Promise<WebhookServer> {
  return openWebhookServer({}, { settings: { projects, channel }, ...(data !== undefined && { data }) });
}

function clientOf({ url }: WebhookServer) {
  return createClient(ChannelSender, createConnectTransport({ baseUrl: url, httpVersion: "1.1" }));
}

async function createChannel(server: WebhookServer) {
  const created = await server.rest("/v1/channels", {
    name: "Mail",
    projectId: 1,
    url: `${server.url}/webhook/demo`,
    pushIdProperty: "#account_id",
    authentication: { secret },
    contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true }],
    customParameters: [{ name: "level", property: "level", defaultValue: "none" }],
    funnel: { stepEvents: [], conversionEvents: ["pay"] },
    delivery: { batchSize: 2 },
  });
  expect(created.status, created.text).toBe(200);
}

const contents = [
  { language: "default", values: { title: { value: { case: "text", value: "Level {level}!" } } } },
] as const;

/** Reports records as the server SDKs do, and waits until they can be queried. */
async function report(server: WebhookServer, records: readonly object[], users: number): Promise<void> {
  const answer = await server.rest("/sync_server", records, { appid: "shop", compress: "none" });
  expect(answer.text).toContain('"code":0');
  const client = clientOf(server);
  const request = {
    projectId: 1n,
    pushIdProperty: "#account_id",
    audience: { source: { case: "users", value: {} } },
  } as const;
  await vi.waitFor(async () => expect((await client.estimateAudience(request)).users).toBe(BigInt(users)), {
    timeout: 15_000,
    interval: 200,
  });
}

const at = (secondsAgo: number): string =>
  new Date(Date.now() - secondsAgo * 1_000).toLocaleString("sv-SE", { timeZone: "Europe/Berlin" });

function login(account: string): object {
  return {
    "#type": "track",
    "#event_name": "login",
    "#account_id": account,
    "#time": at(60),
    properties: {},
  };
}

function profile(account: string, properties: object): object {
  return { "#type": "user_set", "#account_id": account, "#time": at(60), properties };
}

async function watchToEnd(server: WebhookServer, taskId: string) {
  const states: TaskState[] = [];
  for await (const { progress } of clientOf(server).watchTask({ taskId })) states.push(progress!.state);
  return states;
}

describe("a server with channels", () => {
  it("sends to users by their properties, and counts what came of it", async () => {
    const server = await openServer();
    await createChannel(server);
    const records = [
      ...["a", "b", "c", "d"].map(login),
      ...["a", "b", "c"].map((account, i) => profile(account, { level: i + 1 })),
    ];
    await report(server, records, 4);
    const client = clientOf(server);
    const { task } = await client.createTask({
      task: {
        name: "News",
        channelId: "c1",
        contents: contents as never,
        audience: {
          source: {
            case: "users",
            value: { filts: [{ columnName: "level", tableType: 2, comparator: 6, ftv: ["1"] }] },
          },
        },
      },
    });
    await client.runTask({ taskId: task!.taskId });
    expect((await watchToEnd(server, "t1")).at(-1)).toBe(TaskState.DONE);
    const found = await client.getTask({ taskId: "t1", withFunnel: true });
    expect(found.statistics).toMatchObject({
      planned: 2n,
      filtered: 0n,
      sent: 2n,
      succeeded: 2n,
      batches: 1n,
    });
    const { batches } = (await server
      .rest("/v1/webhook/messages:lease", { target: "pulled" })
      .then(({ text }) => JSON.parse(text))) as {
      batches: { batch: { messages: { pushId: string; params: object; customParams: object }[] } }[];
    };
    const messages = batches.flatMap(({ batch }) => batch.messages);
    expect(messages.map(({ pushId }) => pushId).toSorted()).toEqual(["b", "c"]);
    expect(JSON.stringify(messages)).toContain("Level 2!");
    // A click with the receipt, and a purchase of the same user.
    const receipt = {
      ops_project_id: 1,
      ops_task_id: "t1",
      ops_task_instance_id: found.task!.taskInstanceId,
    };
    const event = (name: string, account: string, properties: object) => ({
      "#type": "track",
      "#event_name": name,
      "#account_id": account,
      "#time": at(0),
      properties,
    });
    await report(
      server,
      [
        event("ops_push_click", "b", { "#ops_receipt_properties": receipt }),
        event("pay", "b", {}),
        event("pay", "d", {}),
        login("e"),
      ],
      5,
    );
    const { funnels } = await client.getTask({ taskId: "t1", withFunnel: true });
    expect(funnels[0]!.steps.map(({ name, users }) => [name, users])).toEqual([
      ["sent", 2n],
      ["succeeded", 2n],
      ["click", 1n],
      ["conversion", 1n],
    ]);
  });

  it("writes a message for a preview, over Connect and over REST, and sends nothing", async () => {
    const server = await openServer();
    await createChannel(server);
    await report(server, [login("a"), profile("a", { level: 7 })], 1);
    const task = { channelId: "c1", contents: contents as never };
    const shown = await clientOf(server).previewMessage({ task, pushId: "a" });
    expect(shown).toMatchObject({ groupId: "", language: "default" });
    expect(JSON.parse(shown.message)).toMatchObject({
      push_id: "a",
      params: { title: "Level 7!" },
      custom_params: { level: "7" },
    });
    const restTask = {
      channelId: "c1",
      contents: [{ language: "default", values: { title: { text: "Hi" } } }],
      audience: {
        users: { filts: [{ columnName: "level", tableType: "user", comparator: "equal", ftv: [7] }] },
      },
    };
    const overRest = await server.rest("/v1/tasks:preview", { task: restTask, pushId: "nobody" });
    expect(overRest.status, overRest.text).toBe(200);
    expect(JSON.parse(JSON.parse(overRest.text).message)).toMatchObject({
      push_id: "nobody",
      params: { title: "Hi" },
      custom_params: { level: "none" },
    });
    const wrong = await server.rest("/v1/tasks:preview", { task: restTask, pushId: "a", language: "fr" });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('language is \\"fr\\"')]);
    const listed = await server.rest("/v1/tasks?states=TASK_STATE_DRAFT&states=TASK_STATE_DONE", undefined);
    expect([listed.status, JSON.parse(listed.text).tasks]).toEqual([200, []]);
  });

  it("sends to given push ids without any events", async () => {
    const server = await openServer();
    await createChannel(server);
    const created = await server.rest("/v1/tasks", {
      name: "News",
      channelId: "c1",
      audience: { pushIds: { pushIds: ["a", "b", "", "a", "c"] } },
      contents: [{ language: "default", values: { title: { text: "Hi" } } }],
    });
    expect(created.text).toContain('"TASK_STATE_DRAFT"');
    await server.rest("/v1/tasks/t1:run", {});
    await watchToEnd(server, "t1");
    const found = JSON.parse((await server.rest("/v1/tasks/t1")).text);
    expect(found.statistics).toMatchObject({ planned: "5", filtered: "2", succeeded: "3", batches: "2" });
  });

  it("refuses filters of an audience that cannot be evaluated", async () => {
    const server = await openServer();
    await createChannel(server);
    const refused = await server.rest("/v1/tasks", {
      name: "News",
      channelId: "c1",
      contents: [{ language: "default", values: { title: { text: "Hi" } } }],
      audience: {
        users: {
          filts: [{ columnName: "level", tableType: "TABLE_TYPE_USER", comparator: "COMPARATOR_GREATER" }],
        },
      },
    });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining("task.audience.users.filts[0].ftv"),
    ]);
  });

  it("takes and shows filters in the words of /open/event-analyze", async () => {
    const server = await openServer();
    await createChannel(server);
    const filter = { columnName: "level", tableType: "user", comparator: "greater", ftv: [3] };
    const request = { projectId: 1, pushIdProperty: "#account_id" };
    const estimated = await server.rest("/v1/audiences:estimate", {
      ...request,
      audience: { users: { filts: [filter] } },
    });
    // No user has an event, so no user has a level.
    const warnings = [
      expect.stringMatching(/^audience\.users\.filts\[0\]\.column_name user property "level" is/),
    ];
    expect(JSON.parse(estimated.text)).toEqual({ users: "0", reachable: "0", samplePushIds: [], warnings });
    const created = await server.rest("/v1/tasks", {
      name: "News",
      channelId: "c1",
      audience: { users: { filts: [filter], relation: "or" } },
      contents: [{ language: "default", values: { title: { text: "Hi" } } }],
    });
    expect(JSON.parse(created.text)).toMatchObject({
      task: { audience: { users: { relation: "or", filts: [{ ...filter, ftv: ["3"] }] } } },
      warnings,
    });
    const analysis = { projectId: 1, eventView: { recentDay: "1-7", timeParticleSize: "day" }, events: [] };
    const unasked = await server.rest("/v1/audiences:estimate", { ...request, audience: { analysis } });
    expect([unasked.status, JSON.parse(unasked.text).message]).toEqual([
      400,
      expect.stringContaining("audience.analysis.event_index is required"),
    ]);
    const view = { ...analysis.eventView, comparedTimeList: [], firstDayOfWeek: 1 };
    const pasted = { ...analysis, eventView: view, events: [{ projectId: 1 }], useCache: true };
    const foreign = await server.rest("/v1/audiences:estimate", {
      ...request,
      audience: { analysis: pasted },
    });
    expect([foreign.status, JSON.parse(foreign.text).details[0].fieldViolations]).toMatchObject([
      400,
      ["event_view.comparedTimeList", "event_view.firstDayOfWeek", "events[0].projectId", "useCache"].map(
        (member) => ({
          field: `audience.analysis.${member}`,
          description: expect.stringMatching(/^is not a known member, leave it out; valid are ./),
        }),
      ),
    ]);
    const refused = await server.rest("/v1/audiences:estimate", {
      ...request,
      audience: { users: { filts: [{ ...filter, tableType: "users" }] } },
    });
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      400,
      'audience.users.filts[0].table_type is "users", the nearest is "user", valid are "event", "user", "cluster", "user_cluster"',
    ]);
  });

  it("keeps channels and tasks over a restart", async () => {
    const first = await openServer();
    await createChannel(first);
    await first.rest("/v1/tasks", {
      name: "News",
      channelId: "c1",
      audience: { pushIds: { pushIds: ["a"] } },
      contents: [{ language: "default", values: { title: { text: "Hi" } } }],
    });
    await first.stop();
    const second = await openServer(first.data);
    expect(JSON.parse((await second.rest("/v1/tasks/t1")).text).task).toMatchObject({
      state: "TASK_STATE_DRAFT",
    });
    expect((await second.rest("/readyz")).status).toBe(200);
    const metrics = (await second.rest("/metrics")).text;
    expect(metrics).toContain('engage_channel_scheduled_times_total{outcome="begun"} 0');
  });
});
