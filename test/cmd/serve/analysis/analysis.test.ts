import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { startServer } from "../../../../cmd/serve/server.ts";
import { folderWith } from "../../config/load.ts";
import { runEngage } from "../../run-engage.ts";

const patient = { timeout: 60_000, interval: 200 };

/** A whole server with one project, its token written down. */
async function openServer(settings: object = {}) {
  const cwd = folderWith({
    "engage.yaml": JSON.stringify({
      listen: "127.0.0.1:0",
      data: "data",
      log: { level: "silent" },
      drainMs: 1_000,
      projects: [{ id: 1, appids: ["shop"], zone: "+08:00", cohorts: {} }],
      analysis: { tokens: [{ name: "one", token: "token-one", projects: [1] }] },
      ...settings,
    }),
  });
  const { config, locate } = loadConfig({ env: {}, cwd });
  const server = await startServer(config, { locate });
  onTestFinished(() => server.stop());
  const { url } = server.address;
  const post = async (path: string, body: unknown, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { return_code?: number; data?: { y: unknown } };
  };
  return { cwd, url, post };
}

const query = (analysis: string) => ({
  projectId: 1,
  eventView: { recentDay: "0-1", timeParticleSize: "total" },
  events: [{ type: "normal", eventName: "login", analysis }],
});
const path = "/open/event-analyze?token=token-one";

/** The present time in the project's zone. */
const now = () => new Date(Date.now() + 8 * 3_600_000).toISOString().replace("T", " ").slice(0, 23);

test("events that come in are answered by REST, by the command line, and to cohorts", async () => {
  const { cwd, url, post } = await openServer();
  const login = (account: string) => ({
    "#type": "track",
    "#event_name": "login",
    "#time": now(),
    "#account_id": account,
    properties: { city: account === "a" ? "Berlin" : "Köln" },
  });
  await post("/sync_server", [login("a"), login("a"), login("b")], { appid: "shop", compress: "none" });
  const totals = async () => (await post(path, query("TOTAL_TIMES"))).data?.y;
  const entry = (value: string) => [{ group_cols: ["Overall"], group_num: 1, values: [value] }];
  await expect.poll(totals, patient).toEqual([{ "login.TOTAL_TIMES": entry("3") }]);

  const env = { ENGAGE_TOKEN: "token-one" };
  const imported = await runEngage(["cluster", "import", "vip", "-", "--project", "1", "--url", url], {
    cwd,
    env,
    input: "a\nnobody\n",
  });
  expect(imported.stdout).toMatch(/^vip: 1 members of \d{4}-\d\d-\d\d, 1 unknown ids skipped\n$/);
  const filter = { columnName: "vip", tableType: "cluster", comparator: "belongToCluster" };
  const { eventView, ...rest } = query("TRIG_USER_NUM");
  const ofCohort = await post(path, { ...rest, eventView: { ...eventView, filts: [filter] } });
  expect(ofCohort.data?.y).toEqual([{ "login.TRIG_USER_NUM": entry("1") }]);

  const users = await runEngage(["query", "-", "--users", "--url", url], {
    cwd,
    env,
    input: JSON.stringify(query("TRIG_USER_NUM")),
  });
  expect(users.stdout).toContain("2 users\n");
  const csv = await runEngage(["query", "-", "--csv", "--url", url], {
    cwd,
    env,
    input: JSON.stringify(query("TOTAL_TIMES")),
  });
  expect(csv.stdout).toMatch(/^"Metric","[^"]+"\n"[^"]+","3"\n$/);
});

test("tokens of the data folder count while the server runs", async () => {
  const { cwd, url, post } = await openServer();
  const made = await runEngage(["token", "create", "new", "--project", "1", "--json"], { cwd });
  const { token } = JSON.parse(made.stdout) as { token: string };
  const ask = async () =>
    (await post(`/open/event-analyze?token=${token}`, query("TOTAL_TIMES"))).return_code;
  await expect.poll(ask, patient).toBe(0);
  await runEngage(["token", "revoke", "new"], { cwd });
  await expect.poll(ask, patient).toBe(-1002);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(
    /engage_analysis_queries_total\{operation="analyze",engine="embedded",outcome="ok"\} [1-9]/,
  );
  expect(metrics).toContain('engage_analysis_queries_running{operation="analyze"} 0');
});

test("an unavailable platform is reported, and its token is not", async () => {
  const { post } = await openServer({
    projects: [{ id: 1, engine: "platform" }],
    analysis: {
      tokens: [{ name: "one", token: "token-one", projects: [1] }],
      platform: { baseUrl: "http://127.0.0.1:1", token: "platform-secret", retries: 0 },
    },
  });
  const answer = await post(path, query("TOTAL_TIMES"));
  expect(answer.return_code).toBe(-1006);
  expect(JSON.stringify(answer)).not.toContain("platform-secret");
});

test("a project of the platform does without the store of events", async () => {
  const data = folderWith({});
  mkdirSync(join(data, "events", "store"), { recursive: true });
  writeFileSync(join(data, "events", "store", "events.duckdb"), "no database ".repeat(10_000));
  const { post } = await openServer({
    data,
    projects: [{ id: 1 }, { id: 2, engine: "platform" }],
    analysis: {
      tokens: [{ name: "one", token: "token-one", projects: "*" }],
      platform: { baseUrl: "http://127.0.0.1:1", token: "platform-secret", retries: 0 },
    },
  });
  const messageOf = async (projectId: number) => {
    return ((await post(path, { ...query("TOTAL_TIMES"), projectId })) as { return_message?: string })
      .return_message;
  };
  expect(await messageOf(1)).toBe("the events are temporarily unavailable");
  expect(await messageOf(2)).toContain("the platform");
  // The store is not queried for callers that may not query.
  const refused = await post("/open/event-analyze?token=other", query("TOTAL_TIMES"));
  expect(refused.return_code).toBe(-1002);
});

test("definitions that are wrong are placed in the configuration", async () => {
  await expect(
    openServer({
      projects: [
        {
          id: 1,
          cohorts: { vip: { filts: [{ columnName: "city", tableType: "event", comparator: "isNull" }] } },
        },
      ],
    }),
  ).rejects.toThrow(/projects\[0\]/);
});
