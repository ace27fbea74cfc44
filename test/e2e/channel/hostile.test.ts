import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";
import { casesOf } from "../../thorough.ts";

/** Whatever is sent to the REST paths of channels is taken or refused by name: no fault of ours, no stack. */
let server: RunningServer;

beforeAll(async () => {
  const data = mkdtempSync(join(tmpdir(), "engage-hostile-"));
  const env = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_DATA: data,
    ENGAGE_LOG_LEVEL: "silent",
    ENGAGE_PROJECTS: JSON.stringify([{ id: 1, appids: ["shop"], zone: "+00:00" }]),
  };
  const { config, locate } = loadConfig({ env, cwd: data });
  server = await startServer(config, { locate });
  const made = { ...good, contentTemplate: [{ name: "a", inputMethod: "INPUT_METHOD_TEXT" }] };
  expect((await send("POST", "/v1/channels", JSON.stringify(made))).status).toBe(200);
  return async () => {
    await server.stop();
    rmSync(data, { recursive: true });
  };
});

/** Nothing is dialled: the address is not public. */
const good = { name: "c", projectId: 1, url: "http://127.0.0.1:9/", pushIdProperty: "#account_id" };

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send(method: string, path: string, body?: string): Promise<Answer> {
  const response = await fetch(`${server.address.url}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

function expectOrder({ status, text }: Answer): void {
  expect(text).not.toMatch(/internal error|node_modules|\.ts:\d/);
  expect([200, 400, 404, 409, 413]).toContain(status);
}

const name = fc.oneof(
  fc.constantFrom("", "a", "#account_id", "level", "__proto__", "constructor"),
  fc.string(),
);
const value = fc.oneof(
  { weight: 3, arbitrary: name },
  fc.constantFrom(
    null,
    true,
    -1,
    0,
    1,
    501,
    1e9,
    2 ** 53,
    1e300,
    "1",
    "TABLE_TYPE_USER",
    "user",
    "greater",
    7,
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Objects with the members of a contract, of any value. */
const objectOf = (...members: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...members), value, { maxKeys: members.length });
const mix = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(members, { requiredKeys: [] });
const listOf = (item: fc.Arbitrary<unknown>) => fc.oneof(fc.array(item, { maxLength: 3 }), value);

const filter = objectOf("columnName", "tableType", "comparator", "ftv", "timeUnit", "filterType", "filts");
const query = mix({
  eventView: objectOf(
    "recentDay",
    "startTime",
    "endTime",
    "timeParticleSize",
    "groupBy",
    "filts",
    "relation",
  ),
  events: listOf(objectOf("type", "eventName", "analysis", "quota", "customEvent", "filts")),
  projectId: fc.oneof(fc.constant(1), value),
  sliceGroupVal: listOf(value),
  sliceDate: value,
  eventIndex: value,
  zoneOffset: value,
});
const audience = fc.oneof(
  value,
  fc.record({ users: mix({ filts: listOf(filter), relation: value }) }),
  fc.record({ pushIds: mix({ pushIds: listOf(value) }) }),
  fc.record({ cohort: objectOf("name", "day") }),
  fc.record({ analysis: query }),
);
const channel = fc.oneof(
  value,
  mix({
    name: value,
    url: fc.oneof(fc.constant(good.url), value),
    pushIdProperty: value,
    etag: value,
    projectId: fc.oneof(fc.constant(1), value),
    customHeaders: listOf(objectOf("name", "value", "valueIsSet")),
    authentication: fc.oneof(objectOf("secret", "secretIsSet", "headerName"), value),
    funnel: objectOf("stepEvents", "clickEvent", "conversionEvents", "conversionWindowHours"),
    contentTemplate: listOf(
      objectOf("name", "inputMethod", "defaultValue", "required", "options", "columns"),
    ),
    customParameters: listOf(objectOf("name", "property", "defaultValue")),
    delivery: objectOf("rateLimit", "batchSize", "timeoutSeconds", "retries", "retryIntervalSeconds"),
  }),
);
const content = mix({
  language: fc.oneof(fc.constant("default"), value),
  values: fc.dictionary(name, value),
});
const task = fc.oneof(
  value,
  mix({
    name: value,
    channelId: fc.constantFrom("c1", "", "c2"),
    audience,
    languageProperty: value,
    contents: listOf(content),
    experimentGroups: listOf(objectOf("groupId", "share", "contents")),
    schedule: objectOf("at", "cron", "zone"),
    journey: objectOf("flowId", "flowVersion", "nodeId"),
  }),
);
const estimate = mix({
  projectId: fc.oneof(fc.constant(1), value),
  audience,
  pushIdProperty: fc.constant("a"),
});
const trial = mix({ channel, channelId: value, pushId: value, content });

describe("bodies", () => {
  const table: [method: string, path: string, body: fc.Arbitrary<unknown>][] = [
    ["POST", "/v1/channels", channel],
    ["PUT", "/v1/channels/c1", channel],
    ["POST", "/v1/channels:test", trial],
    ["POST", "/v1/audiences:estimate", estimate],
    ["POST", "/v1/tasks", task],
  ];
  test.each(table)("%s %s", { timeout: 60_000 }, async (method, path, body) => {
    await fc.assert(
      fc.asyncProperty(body, async (json) => expectOrder(await send(method, path, JSON.stringify(json)))),
      { numRuns: casesOf(150) },
    );
  });
});

describe("paths and parameters", () => {
  const id = fc.oneof(
    fc.constantFrom("c1", "t1", "%00", "..", "%2e%2e", "a%2Fb", "'", "1;DROP TABLE channels"),
    name,
  );
  test("any id", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(id, async (text) => {
        const part = text.includes("%")
          ? text.replace(/%(?![0-9a-f]{2})/gi, "%25")
          : encodeURIComponent(text);
        for (const path of [
          `channels/${part}`,
          `tasks/${part}`,
          `tasks/${part}/batches`,
          `tasks/${part}:watch`,
        ]) {
          expectOrder(await send("GET", `/v1/${path}`));
        }
      }),
      { numRuns: casesOf(40) },
    );
  });

  test("any page", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(name, name, async (pageSize, pageToken) => {
        const search = new URLSearchParams({ pageSize, pageToken });
        for (const list of ["channels", "tasks"]) expectOrder(await send("GET", `/v1/${list}?${search}`));
      }),
      { numRuns: casesOf(40) },
    );
  });
});
