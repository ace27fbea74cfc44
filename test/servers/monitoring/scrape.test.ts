import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { alertGroups } from "../../../deploy/generate/alerts/alerts.ts";
import { plans } from "../../../deploy/generate/dashboards/dashboards.ts";
import { folderWith } from "../../cmd/config/load.ts";
import { trackOf } from "../../cmd/event-server.ts";
import { openWebhookServer, type WebhookServer } from "../../cmd/webhook-server.ts";
import { metricOf, seriesIn } from "../../docs/promql.ts";
import { type OnEnd, openForAll } from "../../open-for-all.ts";
import { batchOf } from "../../services/webhook/bodies.ts";
import { openServerProcess } from "../brokers/server-process.ts";

const key = "key-of-the-test-for-prometheus";
const auth = { authorization: `Bearer ${key}` };

const ofDashboards = plans.flatMap(({ rows }) =>
  rows.flatMap((row) => row.panels.flatMap((panel) => panel.queries.map(({ expression }) => expression))),
);
const ofAlerts = alertGroups.flatMap(({ alerts }) => alerts.map(({ expression }) => expression));
/** Only replicas have it; the suite of shared stores reads it. */
const ofReplicas = "engage_store_up";

interface Scraped {
  readonly server: WebhookServer;
  readonly metrics: string;
  /** Calls the API of Prometheus. */
  api(path: string, search?: Readonly<Record<string, string>>): Promise<Reply>;
}

interface Reply {
  readonly status: string;
  readonly data: { readonly result: readonly unknown[]; readonly alerts: readonly unknown[] };
}

/** Starts a server with all services, which has received something of everything. */
async function openBusyServer(onEnd: OnEnd): Promise<WebhookServer> {
  const server = await openWebhookServer(
    {
      channels: { demo: { secrets: [{ value: "a secret of the test" }], targets: ["pulled", "lines"] } },
      targets: { pulled: { kind: "pull" }, lines: { kind: "file", path: "lines.ndjson" } },
      clicks: { forward: { url: "http://127.0.0.1:9", appid: "shop" } },
      inbox: { minFreeBytes: 0 },
      outbound: { allow: ["127.0.0.1:9"] },
    },
    {
      onEnd,
      settings: {
        projects: [{ id: 1, appids: ["shop"], zone: "UTC" }],
        events: {
          batch: { maxDelayMs: 20 },
          spool: { minFreeBytes: 0 },
          engine: { memoryBytes: 268_435_456 },
        },
        auth: { keys: [{ name: "prometheus", sha256: createHash("sha256").update(key).digest("hex") }] },
        metrics: { auth: "keys" },
        tracing: { endpoint: "http://127.0.0.1:9/v1/traces", sampler: "always_off" },
      },
    },
  );
  const replies = [
    await server.send(batchOf(["u1"])),
    await server.rest("/sync_server", [trackOf("a")], { appid: "shop", compress: "none" }),
    await server.rest("/v1/projects/1/events", undefined, auth),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  return server;
}

/** Returns the configuration with a key from the page about monitoring, for a server. */
function configFor(url: string): string {
  const page = readFileSync("docs/monitoring.md", "utf8");
  const [, written = ""] = /```yaml with-key.yml\n([^`]*)```/.exec(page) ?? [];
  const { host } = new URL(url);
  const own = written.replace("127.0.0.1:8080", host);
  expect(own).toContain(host);
  return `global: { scrape_interval: 1s, evaluation_interval: 1s }\n${own}`;
}

async function openPrometheus(url: string, onEnd: OnEnd): Promise<Scraped["api"]> {
  const folder = folderWith({ "prometheus.yml": configFor(url), "engage-key.txt": key }, onEnd);
  copyFileSync("deploy/alerts.yaml", join(folder, "alerts.yaml"));
  const prometheus = await openServerProcess("prometheus", (port, data) => [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  onEnd(() => prometheus[Symbol.asyncDispose]());
  return async (path, search = {}) => {
    const address = `http://127.0.0.1:${prometheus.port}/api/v1/${path}?${new URLSearchParams(search)}`;
    return (await (await fetch(address)).json()) as Reply;
  };
}

const scraped = openForAll(async (onEnd): Promise<Scraped> => {
  const server = await openBusyServer(onEnd);
  const api = await openPrometheus(server.url, onEnd);
  await vi.waitFor(
    async () => {
      const { data } = await api("query", { query: "count_over_time(up[1m]) > 3" });
      expect(data.result).toHaveLength(1);
    },
    { timeout: 30_000, interval: 200 },
  );
  const metrics = (await server.rest("/metrics", undefined, auth)).text;
  return { server, api, metrics };
});

/** Replaces what Grafana does. */
function filled(expression: string): string {
  return expression
    .replaceAll("$__rate_interval", "10s")
    .replaceAll("$job", "engage")
    .replaceAll("$instance", ".*");
}

describe("a server", () => {
  test("has every metric of the dashboards and alerts", () => {
    const { metrics } = scraped();
    const has = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!));
    const named = [...ofDashboards, ...ofAlerts].flatMap(seriesIn).map(metricOf);
    expect([...new Set(named)].filter((name) => !has.has(name)).sort()).toEqual([ofReplicas, "up"]);
  });

  test("has metrics as promtool wants them", async () => {
    const own = scraped()
      .metrics.split("\n")
      .filter((line) => /^(?:# (?:HELP|TYPE) )?engage_/.test(line));
    const promtool = spawn("promtool", ["check", "metrics"]);
    promtool.stdin.end(`${own.join("\n")}\n`);
    const [output, [code]] = await Promise.all([text(promtool.stderr), once(promtool, "exit")]);
    expect([output, code]).toEqual(["", 0]);
  });

  test("without trouble has no alert", async () => {
    const { api } = scraped();
    const { data } = await api("alerts");
    expect(data.alerts).toEqual([]);
    const rules = await api("rules");
    expect(JSON.stringify(rules)).not.toContain('"health":"err"');
    expect(JSON.stringify(rules)).toContain('"health":"ok"');
  });
});

describe("the queries of the dashboards", () => {
  const expressions = [...new Set(ofDashboards)];
  const resultOf = async (expression: string) => {
    const { status, data } = await scraped().api("query", { query: filled(expression) });
    return { expression, status, results: data?.result.length };
  };

  test("are valid", async () => {
    const replies = await Promise.all(expressions.map(resultOf));
    expect(replies.filter(({ status }) => status !== "success")).toEqual([]);
  });

  test("show what a server has", async () => {
    const { metrics } = scraped();
    const has = (name: string) => metrics.includes(`\n${name}{`) || metrics.includes(`\n${name} `);
    const present = expressions.filter((expression) => seriesIn(expression).every(has));
    const replies = await Promise.all(present.map(resultOf));
    expect(replies.filter(({ results }) => results === 0)).toEqual([]);
    expect(present.length).toBeGreaterThan(expressions.length / 2);
  });
});
