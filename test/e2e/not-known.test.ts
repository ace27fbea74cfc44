import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test, vi } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import { startServer } from "../../cmd/serve/server.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { folderWith } from "../cmd/config/load.ts";
import { settingsOf, trackOf } from "../cmd/event-server.ts";
import { runEngage } from "../cmd/run-engage.ts";
import { openForAll } from "../open-for-all.ts";
import { sendHttp2 } from "./raw.ts";

const settings = {
  auth: {
    mode: "off",
  },
  mcp: {},
  parser: {
    formats: [
      { name: "access", index: "a.log", type: "json" },
      { name: "game", index: "g.log", type: "json" },
    ],
  },
  webhook: {
    channels: { mail: { auth: "off", targets: ["pulled"] } },
    targets: { pulled: { kind: "pull" }, second: { kind: "pull" } },
  },
};

const server = openForAll(async (onEnd) => {
  const cwd = folderWith({}, onEnd);
  const file = folderWith({ "engage.yaml": settingsOf(`${cwd}/data`, settings) }, onEnd);
  const running = await startServer(loadConfig({ env: {}, cwd: file }).config);
  onEnd(() => running.stop());
  const { url } = running.address;
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return await response.text();
  };
  const names = ["login", "logout", "pay"];
  const records = names.map((name) =>
    trackOf("ann", { "#event_name": name, properties: { level: 1, price: 2 } }),
  );
  await post("/sync_server", records, { appid: "app", compress: "none" });
  const events = async () => (await fetch(`${url}/v1/projects/1/events?token=query-token`)).text();
  await vi.waitFor(async () => expect(await events()).toContain('"pay"'), { timeout: 20_000, interval: 50 });
  return { url, cwd: file, post };
});

const token = "query-token";
const selection = (fields: object) => ({ selection: { projectId: 1, ...fields } });

test.each([
  [
    "an event",
    "/engage.analysis.v1.Catalog/GetEvent",
    { token, projectId: 1, event: "logn" },
    'event "logn" is unknown, the nearest is "login", valid are "login", "logout", "pay"',
  ],
  [
    "a property",
    "/engage.analysis.v1.Catalog/ListPropertyValues",
    { token, projectId: 1, property: "levle" },
    'property "levle" is unknown, the nearest is "level"',
  ],
  [
    "a project",
    "/engage.analysis.v1.Catalog/ListEvents",
    { token, projectId: 9 },
    "project_id is 9, valid are 1",
  ],
  [
    "a saved query",
    "/engage.analysis.v1.SavedQueries/GetSavedQuery",
    { token, projectId: 1, queryId: "q9" },
    'project 1 has no saved query "q9", ListSavedQueries lists them',
  ],
  [
    "an event to delete",
    "/engage.operations.v1.StoredEvents/CountEvents",
    selection({ events: ["payy"] }),
    'is "payy", which is not known, the nearest is "pay"',
  ],
  [
    "a project to delete from",
    "/engage.operations.v1.StoredEvents/CountEvents",
    selection({ projectId: 9 }),
    "project 9 is not known, valid are 1",
  ],
  [
    "a dead letter",
    "/engage.operations.v1.DeadLetters/GetDeadLetter",
    { deadLetterId: "x" },
    'dead_letter_id "x" is unknown, or it was replayed or deleted, ListDeadLetters lists the others',
  ],
  [
    "a channel",
    "/engage.channel.v1.ChannelSender/GetChannel",
    { channelId: "c9" },
    'there is no channel "c9", ListChannels lists them',
  ],
  [
    "a task",
    "/engage.channel.v1.ChannelSender/GetTask",
    { taskId: "t9" },
    'there is no task "t9", ListTasks lists them',
  ],
  [
    "a probe",
    "/v1/receivers:check",
    { url: "http://127.0.0.1:1/", authentication: { off: true }, skippedProbes: ["acept"] },
    'is "acept", the nearest is "accept"',
  ],
  [
    "a target",
    "/engage.webhook.v1.WebhookReceiver/LeaseMessages",
    { target: "puled" },
    'there is no target "puled", the nearest is "pulled", valid are "pulled", "second"',
  ],
  [
    "a batch",
    "/engage.webhook.v1.WebhookReceiver/GetBatch",
    { batchId: "b9" },
    'batch_id "b9" is unknown, in flight or no longer kept, ListBatches lists them',
  ],
  [
    "a delivery",
    "/engage.webhook.v1.WebhookReceiver/GetDelivery",
    { deliveryId: "d9" },
    'delivery_id "d9" is unknown or no longer kept, ListDeliveries lists them',
  ],
  [
    "a format",
    "/engage.parser.v1.ParserExplainer/Explain",
    { format: "gaem" },
    'there is no format "gaem", the nearest is "game", valid are "access", "game"',
  ],
  [
    "a tool",
    "/engage.agent.v1.AgentTools/CallTool",
    { name: "quer" },
    'name is "quer", the nearest is "query", valid are ',
  ],
  [
    "a unit of a query",
    "/open/event-analyze?token=query-token",
    { projectId: 1, eventView: { recentDay: "0-3", timeParticleSize: "days" }, events: [] },
    '"days" is unknown, the nearest is "day", valid are "minute"',
  ],
  [
    "an aggregation",
    "/open/event-analyze?token=query-token",
    { projectId: 1, eventView: {}, events: [{ type: "normal", eventName: "pay", analysis: "SUMM" }] },
    '"SUMM" is unknown, the nearest is "SUM", valid are ',
  ],
  [
    "a comparator",
    "/open/event-analyze?token=query-token",
    { projectId: 1, eventView: { filts: [{ columnName: "level", comparator: "equall" }] }, events: [] },
    '"equall" is unknown, the nearest is "equal", valid are ',
  ],
  [
    "the event of a query",
    "/open/event-analyze?token=query-token",
    {
      projectId: 1,
      eventView: { recentDay: "0-3", timeParticleSize: "total" },
      events: [{ type: "normal", eventName: "logn", analysis: "TOTAL_TIMES" }],
    },
    'event "logn" is not known, it has no records; the nearest is "login", valid are "login"',
  ],
  [
    "the cohort of a query",
    "/open/event-analyze?token=query-token",
    {
      projectId: 1,
      eventView: {
        recentDay: "0-3",
        timeParticleSize: "total",
        filts: [{ columnName: "whales", tableType: "cluster", comparator: "belongToCluster", ftv: [] }],
      },
      events: [{ type: "normal", eventName: "pay", analysis: "TOTAL_TIMES" }],
    },
    'cohort or tag "whales" is not known, it has no members; there are none',
  ],
  [
    "a query",
    "/open/event-analyse?token=query-token",
    {},
    'nothing is served at "/open/event-analyse", valid are /open/event-analyze, ',
  ],
  ["a path", "/v1/chanels", {}, "the nearest is /v1/channels: / lists what is, and /docs describes it"],
  ["a member", "/v1/channels", { nmae: "mail" }, 'is not a known member, the nearest is "name"'],
])("%s that is not known gets the nearest, or what exists", async (_, path, body, message) => {
  const text = (await server().post(path, body)).replaceAll('\\"', '"');
  expect(text).toContain(message);
});

test.each([
  ["a method", "/engage.channel.v1.ChannelSender/GetChanel", "/engage.channel.v1.ChannelSender/GetChannel"],
  ["a page", "/docs/operation", "/docs/operations: /docs/ lists its pages"],
])("%s that is not known gets the nearest over GET", async (_, path, nearest) => {
  const response = await fetch(server().url + path);
  expect(await response.text()).toContain(`, the nearest is ${nearest}`);
});

test("a method that is not known gets the nearest over gRPC", async () => {
  const path = "/engage.channel.v1.ChannelSender/GetChanel";
  const sent = { ":path": path, "content-type": "application/grpc", te: "trailers" };
  const { headers } = await sendHttp2(server().url, sent);
  expect(decodeURI(String(headers["grpc-message"]))).toBe(
    `there is no method ${path}, the nearest is /engage.channel.v1.ChannelSender/GetChannel: server reflection lists them`,
  );
});

test("a service that is not known to health checks gets the nearest", async () => {
  const health = createClient(Health, createGrpcTransport({ baseUrl: server().url }));
  await expect(health.check({ service: "engage.channel.v1.ChannelSend" })).rejects.toThrow(
    'on this server, the nearest is "engage.channel.v1.ChannelSender"',
  );
});

test.each([
  ["app id", "/sync_server", [], { appid: "ap", compress: "none" }],
  ["webhook channel", "/webhook/mial", [], {}],
  ["token", "/open/event-analyze?token=query-toke", { projectId: 1 }, {}],
])("a stranger with a wrong %s learns no other", async (_, path, body, headers) => {
  const text = await server().post(path, body, headers);
  expect(text).toMatch(/unknown|there is no|-1002/);
  expect(text).not.toMatch(/nearest|valid are|"app"|mail\b|query-token/);
});

test.each([
  [["channel", "show", "letter", "--url", "URL"], 'channel "letter" is not known, there are none'],
  [["parse", "--format", "gaem", "-"], 'format "gaem" is not known, the nearest is "game"'],
  [["token", "revoke", "t2"], 'token "t2" is not known, there are none'],
  [["export", "-", "--project", "3"], "there is no project 3, valid are 1"],
  [["docs", "operation"], 'page "operation" is not known, the nearest is "operations"'],
  [["serv"], "unknown command 'serv', the nearest is serve"],
  [["channel", "xyzzy"], "unknown command 'xyzzy', valid are list, show, "],
  [["config", "--xyzzy"], "unknown option '--xyzzy', valid are --config, "],
])("the command line %j gets the nearest, or what exists", async (args, message) => {
  const { url, cwd } = server();
  const { stderr, code } = await runEngage(
    args.map((word) => word.replace("URL", url)),
    { cwd },
  );
  expect(stderr).toContain(message);
  expect(code).not.toBe(0);
});
