import { open } from "node:fs/promises";
import { describe, expect, it, test, vi } from "vitest";
import { runEngage } from "../../cmd/run-engage.ts";
import { openForAll } from "../../open-for-all.ts";
import { keys, openAgent, openAgentServer, revisions } from "./agent-server.ts";

const opened = openForAll(openAgentServer);
const slow = { timeout: 60_000 };

const names = [
  "list_events",
  "describe",
  "query",
  "users_behind",
  "deliveries",
  "channels_and_tasks",
  "preview_push",
  "send_push",
];

describe.each(["http", "stdio"] as const)("over %s", (kind) => {
  describe.each(revisions)("in the revision %j", (revision) => {
    it("the reference client lists the tools and calls them", slow, async () => {
      const { url, channelId } = opened();
      await using agent = await openAgent(kind, url, keys.agent, revision);
      const { tools } = await agent.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(names);
      expect(tools.at(-1)?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });

      expect((await agent.call("list_events")).events).toMatchObject([{ event: "login", count: 3 }]);
      const { properties } = await agent.call("describe", { event: "login", prefix: "city" });
      expect(properties).toMatchObject([{ property: "city", type: "text", top_values: ["Bern", "Oslo"] }]);

      const query = {
        recent_day: "0-2",
        unit: "total",
        metrics: [{ event: "login" }, { event: "login", measure: "TRIG_USER_NUM" }],
        group_by: [{ column: "city" }],
      };
      const table = await agent.call("query", query);
      expect(table).toMatchObject({
        range: { start_time: expect.stringMatching(/ 00:00:00$/) },
        zone: 0,
        groups_left_out: 0,
        columns: ["time", "city", "login.TOTAL_TIMES", "login.TRIG_USER_NUM"],
      });
      expect(table.rows.map((row: unknown[]) => row.slice(1))).toEqual([
        ["Bern", 2, 1],
        ["Oslo", 1, 1],
      ]);
      const behind = await agent.call("users_behind", { query, group: ["Bern"], columns: ["level"] });
      expect(behind.rows).toEqual([[expect.any(String), "ann", null, 3]]);

      expect((await agent.call("channels_and_tasks")).channels).toMatchObject([{ channel_id: channelId }]);
      const preview = await agent.call("preview_push", {
        channel_id: channelId,
        name: "Spring",
        audience: {
          users: { filters: [{ column: "level", table: "user", comparator: "equal", values: [3] }] },
        },
        contents: { default: { title: "Level {level}" } },
      });
      expect(preview).toMatchObject({ users: 2, reachable: 2, may_send: true });
      expect(preview.messages).toMatchObject([{ message: { params: { title: "Level 3" } } }, {}]);

      const sent = await agent.call("send_push", { token: preview.token });
      await vi.waitFor(
        async () => {
          const task = await agent.call("channels_and_tasks", { show: "task", task_id: sent.task_id });
          expect(task).toMatchObject({
            name: "agent: Spring",
            state: "done",
            statistics: { succeeded: "2" },
          });
        },
        { timeout: 20_000, interval: 100 },
      );
      const { deliveries } = await agent.call("deliveries", { show: "deliveries", push_id: "ann" });
      expect(deliveries[0]).toMatchObject({ channel: "demo", push_id: "ann", state: "pending" });
    });

    it("a wrong name is an error with the valid ones", slow, async () => {
      await using agent = await openAgent(kind, opened().url, keys.agent, revision);
      const query = { recent_day: "0-2", metrics: [{ event: "logn" }] };
      await expect(agent.call("query", query)).rejects.toThrow(/"logn" is not known.*"login"/);
      await expect(agent.call("query", { ...query, unit: "days" })).rejects.toThrow(
        /^unit is "days", the nearest is "day", valid are/,
      );
      await expect(agent.call("quer")).rejects.toThrow(/^name is "quer", the nearest is "query"/);
    });
  });

  it("a key that may only read sends nothing", slow, async () => {
    const { url, channelId } = opened();
    await using agent = await openAgent(kind, url, keys.reader);
    const { token } = await agent.call("preview_push", {
      channel_id: channelId,
      name: "Spring",
      audience: { push_ids: ["ann"] },
      contents: { default: { title: "Hello" } },
    });
    await expect(agent.call("send_push", { token })).rejects.toThrow(
      /^permission denied: this key has read access, and engage\.channel\.v1\.ChannelSender\/CreateTask changes something/,
    );
  });

  it("a key without the methods calls none", slow, async () => {
    await using agent = await openAgent(kind, opened().url, keys.other);
    await expect(agent.call("list_events")).rejects.toThrow(
      /this caller may not call engage\.agent\.v1\.AgentTools\/CallTool/,
    );
  });
});

test("calls of tools are in the metrics with the protocol mcp", slow, async () => {
  const { url } = opened();
  await using agent = await openAgent("http", url, keys.agent);
  await agent.call("list_events");
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(
    /engage_calls_total\{method="engage\.analysis\.v1\.Catalog\/ListEvents",protocol="mcp",code="OK"\} [1-9]/,
  );
});

test("engage mcp answers all requests of a file", slow, async () => {
  const clientInfo = { name: "test", version: "1" };
  const requests = [
    { method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
    { method: "tools/list" },
    { method: "tools/call", params: { name: "list_events", arguments: {} } },
    { method: "tools/call", params: { name: "channels_and_tasks", arguments: {} } },
  ];
  const lines = requests.map((request, id) => `${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
  const options = { input: lines.join(""), env: { ENGAGE_KEY: keys.agent } };
  const { code, stdout, stderr } = await runEngage(["mcp", "--url", opened().url], options);
  const responses = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(responses.map(({ id, error }) => [id, error]).toSorted()).toEqual(
    lines.map((_, id) => [id, undefined]),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("engage mcp ends at the end of a file, too", slow, async () => {
  await using file = await open("/dev/null");
  const ran = await runEngage(["mcp", "--url", opened().url], { stdinFd: file.fd });
  expect(ran).toEqual({ code: 0, stdout: "", stderr: "" });
});
