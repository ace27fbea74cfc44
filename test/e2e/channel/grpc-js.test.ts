import { status } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { openWebhookServer, secret } from "../../cmd/webhook-server.ts";
import { type GrpcJsClient, openGrpcJs } from "../grpc-js-client.ts";

/** A foreign client makes a channel to this server's own receiver, and pushes through it. */
async function openSender(): Promise<{ readonly client: GrpcJsClient; readonly channel: object }> {
  const { url } = await openWebhookServer(
    {
      channels: {
        demo: { secrets: [{ value: secret }], targets: ["pulled"], pushId: { pattern: "[a-z]+" } },
      },
    },
    {
      settings: {
        projects: [{ id: 1, appids: ["shop"], zone: "+00:00" }],
        channel: { outbound: { allow: ["127.0.0.0/8"] } },
      },
    },
  );
  const client = openGrpcJs(url, "engage.channel.v1.ChannelSender", "engage/channel/v1/channel_sender.proto");
  onTestFinished(() => client[Symbol.dispose]());
  const channel = {
    name: "mail",
    projectId: 1,
    url: `${url}/webhook/demo`,
    pushIdProperty: "#account_id",
    authentication: { secret },
    contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_TEXT", required: true }],
    delivery: { batchSize: 2 },
  };
  return { client, channel };
}

const contents = [{ language: "default", values: { title: { text: "Hi" } } }];

test("a push is made, run, watched and looked at", async () => {
  const { client, channel } = await openSender();
  expect(await client.unary("TestChannel", { channel, pushId: "ann" })).toMatchObject({
    status: 200,
    signature: expect.stringMatching(/^[0-9a-f]{40}$/),
    strict: { succeeded: true },
  });
  const made = await client.unary("CreateChannel", { channel });
  expect(made.channel).toMatchObject({ channelId: "c1", etag: "v1", authentication: { secret: "" } });
  const audience = { pushIds: { pushIds: ["ann", "bob", "", "Dan", "ann"] } };
  const task = { name: "news", channelId: "c1", contents, audience };
  const preview = await client.unary("PreviewMessage", { task, pushId: "ann" });
  expect(JSON.parse(preview.message)).toMatchObject({ push_id: "ann", params: { title: "Hi" } });
  expect(preview).toMatchObject({ groupId: "", language: "default" });
  const created = await client.unary("CreateTask", { task });
  expect(created.task).toMatchObject({ taskId: "t1", state: "TASK_STATE_DRAFT" });
  await client.unary("RunTask", { taskId: "t1" });
  const progress = await client.serverStream("WatchTask", { taskId: "t1" });
  expect(progress.at(-1).progress).toMatchObject({
    state: "TASK_STATE_DONE",
    statistics: {
      planned: 5,
      filtered: 2,
      sent: 3,
      succeeded: 2,
      failed: [{ reason: "rejected", count: 1 }],
    },
  });
  const { batches } = await client.unary("ListBatches", { taskId: "t1", onlyFailed: true });
  expect(batches).toMatchObject([
    { size: 1, state: "succeeded", attempts: 1, failedItems: [{ index: 1, pushId: "Dan" }] },
  ]);
  const done = await client.unary("ListTasks", { states: ["TASK_STATE_DONE", "TASK_STATE_FAILED"] });
  expect(done.tasks).toMatchObject([{ taskId: "t1", state: "TASK_STATE_DONE" }]);
  const found = await client.unary("GetTask", { taskId: "t1", withFunnel: true });
  expect(found.funnels[0].steps).toEqual([
    { name: "sent", users: 3 },
    { name: "succeeded", users: 2 },
    { name: "click", users: 0 },
  ]);
});

test("what is wrong has its status", async () => {
  const { client, channel } = await openSender();
  await client.unary("CreateChannel", { channel });
  const task = { name: "news", channelId: "c1", contents, audience: { pushIds: { pushIds: ["ann"] } } };
  await client.unary("CreateTask", { task });
  const table: [method: string, request: object, code: number, details: string][] = [
    ["CreateChannel", { channel }, status.ALREADY_EXISTS, 'channel.name is "mail"'],
    ["GetChannel", { channelId: "c9" }, status.NOT_FOUND, 'there is no channel "c9"'],
    ["UpdateChannel", { channelId: "c1", channel: { ...channel, etag: "v7" } }, status.ABORTED, '"v7"'],
    ["DeleteChannel", { channelId: "c1" }, status.FAILED_PRECONDITION, "is used by task t1"],
    ["CreateTask", { task: { ...task, contents: [] } }, status.INVALID_ARGUMENT, "task.contents has no"],
    ["CancelTask", { taskId: "t9" }, status.NOT_FOUND, 'there is no task "t9"'],
    ["ListTasks", { pageSize: -1 }, status.INVALID_ARGUMENT, "page_size is -1, valid are 1 to 1000"],
    ["TestChannel", { pushId: "a" }, status.INVALID_ARGUMENT, "channel or channel_id is required"],
  ];
  for (const [method, request, code, details] of table) {
    const call = client.unary(method, request);
    await expect(call, method).rejects.toMatchObject({ code, details: expect.stringContaining(details) });
  }
  const watch = client.serverStream("WatchTask", { taskId: "t9" });
  await expect(watch).rejects.toMatchObject({ code: status.NOT_FOUND });
});
