import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { ListToolsResponseSchema } from "../../../gen/engage/agent/v1/agent_tools_pb.ts";
import { PropertyType } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { DeadLetterKind } from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { createToolRig } from "./tool-rig.ts";

const logins = { recent_day: "1-7", metrics: [{ event: "login" }] };

/** JSON Schemas in English have 3.5 to 4 characters for a token of common tokenizers. */
const charactersPerToken = 3;

describe("the definitions", () => {
  const { client } = createToolRig({});

  it("are at most eight and take fewer than 4,000 tokens", async () => {
    const list = await client.listTools({});
    const { tools } = toJson(ListToolsResponseSchema, list) as { tools: object[] };
    expect(tools.length).toBeLessThanOrEqual(8);
    expect(JSON.stringify(tools).length / charactersPerToken).toBeLessThan(4_000);
  });

  it("say which tool reaches people", async () => {
    const { tools } = await client.listTools({});
    const acting = tools.filter(
      ({ readOnly, destructive, openWorld }) => !readOnly || destructive || openWorld,
    );
    expect(acting.map(({ name }) => name)).toEqual(["send_push"]);
  });

  it("have a schema with the properties of each tool, and no references", async () => {
    const { tools } = await client.listTools({});
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(Object.keys(inputSchema!["properties"] as object).length).toBeGreaterThan(0);
      expect(JSON.stringify(inputSchema)).not.toContain("$ref");
    }
  });

  it("are refused under another name, with the nearest", async () => {
    await expect(client.callTool({ name: "list_event" })).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringMatching(
        /^name is "list_event", the nearest is "list_events", valid are "list_events"/,
      ),
    });
  });
});

describe("arguments", () => {
  const rig = createToolRig({
    catalog: { listProjects: () => ({ projects: [{ projectId: 1n }, { projectId: 7n }] }) },
  });

  it.each([
    [
      "query",
      { ...logins, unit: "days" },
      /^unit is "days", the nearest is "day", valid are "minute", .*"day"/,
    ],
    [
      "query",
      { ...logins, metrics: [{ event: "a", measure: "COUNT" }] },
      /^metrics\.0\.measure is "COUNT", valid are "TOTAL_TIMES"/,
    ],
    [
      "query",
      { ...logins, filters: [{ column: "a", comparator: "eq" }] },
      /^filters\.0\.comparator is "eq", valid are "equal"/,
    ],
    [
      "query",
      { ...logins, metric: [] },
      /"metric" is not known, the nearest is "metrics", valid are "project_id"/,
    ],
    ["query", { recent_day: "1-7" }, /^metrics is required$/],
    ["deliveries", {}, /^show is required, valid are "deliveries", "delivery", "dead_letter_kinds"/],
    ["query", { ...logins, limit: 0 }, /^limit is 0, too small: expected number to be >=1$/],
    ["query", logins, /^project_id is required, valid are 1, 7$/],
    ["list_events", { cursor: "x" }, /^cursor belongs to another tool or to other arguments/],
    [
      "deliveries",
      { show: "dead_letters" },
      /^kind is required, valid are "webhook", "click", "parser", "record"$/,
    ],
    ["deliveries", { show: "delivery" }, /^delivery_id is required$/],
    ["channels_and_tasks", { show: "tasks", state: "running" }, /^state is "running", valid are "draft"/],
  ])("of %s %j are refused with the valid values", async (name, args, message) => {
    expect(await rig.failureOf(name, args)).toMatch(message);
  });
});

describe("a failed call", () => {
  it("is an output with its reason", async () => {
    const rig = createToolRig({
      catalog: {
        listEvents() {
          throw new ConnectError("this caller may not call Catalog/ListEvents", Code.PermissionDenied);
        },
      },
    });
    expect(await rig.failureOf("list_events", { project_id: 1 })).toBe(
      "permission denied: this caller may not call Catalog/ListEvents",
    );
  });
});

describe("describe", () => {
  const rig = createToolRig({
    catalog: {
      listProperties: () => ({
        properties: [
          { name: "city", type: PropertyType.TEXT, count: 9n, eventCount: 2 },
          { name: "#time", type: PropertyType.TIME, count: 9n, eventCount: 2 },
          { name: "slow", type: PropertyType.TEXT, count: 1n, eventCount: 1 },
        ],
      }),
      listPropertyValues({ property }) {
        if (property === "slow") throw new ConnectError("too many queries run", Code.ResourceExhausted);
        return {
          values: [{ value: "Bern", count: 8n, share: 8 / 9 }],
          count: 9n,
          withValue: 9n,
          type: PropertyType.TEXT,
        };
      },
    },
  });

  it("lists properties with types and frequent values, or why they are missing", async () => {
    expect((await rig.call("describe")).properties).toEqual([
      { property: "city", type: "text", count: 9, events: 2, top_values: ["Bern"] },
      { property: "#time", type: "time", count: 9, events: 2 },
      { property: "slow", type: "text", count: 1, events: 1, top_values_missing: "too many queries run" },
    ]);
    expect((await rig.call("describe", { with_values: false })).properties[0]).toEqual({
      property: "city",
      type: "text",
      count: 9,
      events: 2,
    });
  });

  it("lists the values of one property", async () => {
    expect(await rig.call("describe", { property: "city" })).toMatchObject({
      type: "text",
      with_value: 9,
      values: [{ value: "Bern", count: 8, share: 0.8889 }],
    });
  });
});

describe("deliveries", () => {
  const rig = createToolRig({
    webhooks: {
      listDeliveries: ({ state, filter }) => ({
        deliveries: [{ deliveryId: "5", channel: filter?.channel ?? "", state, reason: "HTTP 503" }],
        nextPageToken: "more",
      }),
    },
    deadLetters: {
      listKinds: () => ({ kinds: [{ kind: DeadLetterKind.PARSER, count: 4n, complete: true }] }),
      listDeadLetters: ({ filter }) => ({
        deadLetters: [
          { deadLetterId: "d1", kind: filter!.kind, reason: "invalid_json", content: Buffer.from("{") },
        ],
      }),
    },
  });

  it("are listed by state, a page after the other", async () => {
    const found = await rig.call("deliveries", { show: "deliveries", state: "dead", channel: "crm" });
    expect(found.deliveries).toMatchObject([
      { delivery_id: "5", channel: "crm", state: "dead", reason: "HTTP 503" },
    ]);
    expect([found.has_more, typeof found.cursor]).toEqual([true, "string"]);
  });

  it("have dead letters of every kind", async () => {
    expect(await rig.call("deliveries", { show: "dead_letter_kinds" })).toMatchObject({
      kinds: [{ kind: "parser", count: 4, is_complete: true }],
    });
    expect(
      (await rig.call("deliveries", { show: "dead_letters", kind: "parser" })).dead_letters,
    ).toMatchObject([{ dead_letter_id: "d1", reason: "invalid_json", content: "{" }]);
  });
});
