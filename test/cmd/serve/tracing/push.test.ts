import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { expect, test, vi } from "vitest";
import { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { openHttpServer } from "../../../services/webhook/targets/http-server.ts";
import { openWebhookServer } from "../../webhook-server.ts";
import { openCollector, treeOf } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${callerSpan}-01`;
const run = "engage.channel.v1.ChannelSender/RunTask";

const login = (account: string): object => ({
  "#type": "track",
  "#event_name": "login",
  "#account_id": account,
  "#time": new Date(Date.now() - 60_000).toISOString().replace("T", " ").slice(0, 19),
  properties: {},
});

test("a push is one trace from the call that runs it to each request to its receiver", async () => {
  await using collector = await openCollector();
  await using receiver = await openHttpServer();
  receiver.answer = (response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"return_code":0,"data":{"fail_list":[]}}');
  const server = await openWebhookServer(
    {},
    {
      settings: {
        projects: [{ id: 1, appids: ["shop"], zone: "UTC" }],
        channel: { outbound: { allow: ["127.0.0.0/8"] } },
        tracing: { endpoint: collector.endpoint, delayMs: 1 },
      },
    },
  );
  const client = createClient(
    ChannelSender,
    createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  );
  const created = await server.rest("/v1/channels", {
    name: "Mail",
    projectId: 1,
    url: receiver.url,
    pushIdProperty: "#account_id",
    contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_TEXT", required: true }],
    delivery: { batchSize: 1 },
  });
  expect(created.status, created.text).toBe(200);
  await server.rest("/sync_server", ["a", "b"].map(login), { appid: "shop", compress: "none" });
  const audience = { source: { case: "users", value: {} } } as const;
  await vi.waitFor(
    async () =>
      expect(
        (await client.estimateAudience({ projectId: 1n, pushIdProperty: "#account_id", audience })).users,
      ).toBe(2n),
    { timeout: 20_000, interval: 200 },
  );
  const { task } = await client.createTask({
    task: {
      name: "News",
      channelId: "c1",
      contents: [{ language: "default", values: { title: { value: { case: "text", value: "News" } } } }],
      audience,
    },
  });
  await client.runTask({ taskId: task!.taskId }, { headers: { traceparent } });
  await expect.poll(() => collector.named("POST").length, { timeout: 20_000 }).toBe(2);
  await expect.poll(() => collector.named(run).length).toBe(1);
  expect(treeOf(collector.spans, traceId, callerSpan)).toEqual([[run, ["start run", ["POST"], ["POST"]]]]);
  const posts = collector.named("POST");
  const passed = receiver.calls.map(({ headers }) => headers["traceparent"]);
  expect(passed.toSorted()).toEqual(posts.map(({ spanId }) => `00-${traceId}-${spanId}-01`).toSorted());
  expect(posts[0]!.attributes).toMatchObject({
    "engage.run_id": expect.stringContaining(task!.taskId),
    "http.response.status_code": 200,
    "messaging.batch.message_count": 1,
  });
});
