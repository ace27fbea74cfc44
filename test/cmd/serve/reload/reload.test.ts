import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { sha256Hex } from "../../../../base/text/digest.ts";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { changedPaths } from "../../../../cmd/serve/reload/reload.ts";
import { startServer } from "../../../../cmd/serve/server.ts";
import { RecordWatcher } from "../../../../gen/engage/event/v1/record_watcher_pb.ts";
import { openForAll } from "../../../open-for-all.ts";
import { folderWith } from "../../config/load.ts";
import { startEngage } from "../../run-engage.ts";

it.each([
  [{ a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } }, []],
  [{ a: 1, b: { c: [1], d: 2 } }, { a: 2, b: { c: [1, 2], d: 2 } }, [["a"], ["b", "c"]]],
  [{ a: {} }, { a: { b: 1 }, c: null }, [["a", "b"], ["c"]]],
  [{ a: { b: 1 } }, { a: 1 }, [["a"]]],
])("%j and %j differ in %j", (a, b, paths) => {
  expect(changedPaths(a, b)).toEqual(paths);
});

const settingsOf = (changes: object = {}) => ({
  listen: "127.0.0.1:0",
  data: "data",
  log: { level: "silent" },
  drainMs: 1_000,
  projects: [{ id: 1, appids: ["shop"] }],
  auth: { mode: "keys", keys: [{ name: "first", sha256: sha256Hex("first-key") }] },
  analysis: { tokens: [{ name: "first", token: "first-token-of-the-test", projects: "*" }] },
  parser: { formats: [formatOf("first", "(?<word>\\w+)")] },
  ...changes,
});

const formatOf = (index: string, pattern: string) => ({
  name: index,
  index,
  type: "regex",
  pattern,
  mapping: {
    "#type": { value: "track" },
    "#event_name": { value: "word" },
    "#account_id": "word",
    "#time": { value: "2026-01-01 00:00:00" },
  },
});

const server = openForAll(async (onEnd) => {
  const cwd = folderWith({ "engage.yaml": JSON.stringify(settingsOf()) }, onEnd);
  const load = (changes?: object) => {
    writeFileSync(join(cwd, "engage.yaml"), JSON.stringify(settingsOf(changes)));
    return loadConfig({ env: {}, cwd });
  };
  const { config, locate, describe: describeConfig } = load();
  const running = await startServer(config, { locate, describe: describeConfig });
  onEnd(() => running.stop());
  const reload = async (changes?: object) => await running.reload(load(changes));
  const call = async (path: string, key: string) =>
    await fetch(`${running.address.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { reload, call, running, logger: running.logger, url: running.address.url };
});

describe("a running server", () => {
  it("takes other keys, and shows those in effect", async () => {
    const { reload, call } = server();
    const path = "/v1/settings/keys";
    expect((await call(path, "first-key")).status).toBe(200);
    const keys = [{ name: "second", sha256: sha256Hex("second-key") }];
    const report = await reload({ auth: { mode: "keys", keys } });
    expect(report).toEqual({ applied: ["auth.keys"], needRestart: [] });
    expect((await call(path, "first-key")).status).toBe(401);
    expect(await (await call(path, "second-key")).json()).toMatchObject({ keys: [{ name: "second" }] });
    const shown = await call("/v1/settings/configuration?path=auth.keys", "second-key");
    expect(await shown.text()).toContain("second");
    await reload();
    expect((await call(path, "first-key")).status).toBe(200);
  });

  it("takes other query tokens, and another log level", async () => {
    const { reload, call, logger } = server();
    const tokens = [{ name: "second", token: "second-token-of-the-test", projects: "*" }];
    const report = await reload({ analysis: { tokens }, log: { level: "fatal" } });
    expect(report).toEqual({ applied: ["log.level", "analysis.tokens"], needRestart: [] });
    expect(logger.level).toBe("fatal");
    const projects = async (token: string) => (await call(`/v1/projects?token=${token}`, "first-key")).status;
    expect(await projects("second-token-of-the-test")).toBe(200);
    expect(await projects("first-token-of-the-test")).not.toBe(200);
    const listed = await (await call("/v1/settings/tokens", "first-key")).json();
    expect(listed).toMatchObject({ tokens: [{ name: "second" }] });
    await reload();
  });

  it("parses with other formats", async () => {
    const { reload, url } = server();
    const parse = async (index: string) => {
      const response = await fetch(`${url}/proto.Parser/Parse`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer first-key" },
        body: JSON.stringify({ content: Buffer.from(`${index}|ta|hello`).toString("base64") }),
      });
      const { content } = (await response.json()) as { content: string };
      return Buffer.from(content, "base64").toString();
    };
    const before = await parse("second");
    expect([before, await parse("first")]).toEqual(["{}", expect.stringContaining("hello")]);
    const parser = { formats: [formatOf("second", "(?<word>\\w+)")] };
    expect(await reload({ parser })).toEqual({ applied: ["parser.formats"], needRestart: [] });
    expect(await parse("second")).toContain('"#account_id":"hello"');
    expect(await reload({ parser: { ...parser, indexSeparator: "|other|" } })).toMatchObject({
      applied: ["parser.indexSeparator"],
    });
    expect(await parse("second")).toBe(before);
    expect(await reload()).toMatchObject({ applied: ["parser.indexSeparator", "parser.formats"] });
    expect(await parse("second")).toBe(before);
  });

  it("says what needs a restart, at each reload until then", async () => {
    const { reload } = server();
    const changes = { console: false, limits: { maxHeaderBytes: 20_000 } };
    const needRestart = ["console", "limits.maxHeaderBytes"];
    for (const changed of [await reload(changes), await reload(changes)]) {
      expect({ ...changed, needRestart: changed.needRestart.toSorted() }).toEqual({
        applied: [],
        needRestart,
      });
    }
    expect(await reload()).toEqual({ applied: [], needRestart: [] });
  });

  it("takes other limits, and rules for pages of other sites", async () => {
    const { reload, url } = server();
    const post = (text: string) =>
      fetch(`${url}/proto.Parser/Parse`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer first-key" },
        body: JSON.stringify({ content: Buffer.from(text).toString("base64") }),
      });
    const origin = "https://app.example";
    const allowed = async () =>
      (await fetch(`${url}/healthz`, { headers: { origin } })).headers.get("access-control-allow-origin");
    expect([(await post("x".repeat(99))).status, await allowed()]).toEqual([200, null]);
    const methods = { "proto.Parser/Parse": 50 };
    const report = await reload({ limits: { methods }, gateway: { cors: [origin] } });
    expect(report).toEqual({
      applied: ["gateway.cors", 'limits.methods["proto.Parser/Parse"]'],
      needRestart: [],
    });
    expect([(await post("x".repeat(99))).status, await allowed()]).toEqual([429, origin]);
    await reload();
    expect((await post("x".repeat(99))).status).toBe(200);
  });

  it("takes values that are read when they are used", async () => {
    const { reload, call, running, url } = server();
    const metrics = async (key: string) => (await call("/metrics", key)).status;
    const projects = async () =>
      (await call("/v1/projects?token=first-token-of-the-test", "first-key")).status;
    expect(await metrics("no-key")).toBe(200);
    const changes = {
      drainMs: 2_000,
      metrics: { auth: "keys" },
      log: { level: "silent", access: false },
      mcp: { push: { allow: true, maxPerDay: 3, maxUsers: 4 } },
      analysis: { ...settingsOf().analysis, rateLimit: { perSecond: 0.001, burst: 1 } },
      events: { keepDays: 30, spool: { minFreeBytes: 1e15 }, lag: { warnMs: 1_000 } },
      channel: { outbound: { allow: ["10.0.0.0/8"] }, retentionMs: 60_000 },
      webhook: { inbox: { retention: { finishedMs: 1_000 }, maxPendingAgeMs: 1_000 } },
    };
    const track = async () => {
      const record = {
        "#type": "track",
        "#event_name": "a",
        "#account_id": "u",
        "#time": "2026-11-01 00:00:00",
      };
      const headers = { appid: "shop", compress: "none" };
      return (await fetch(`${url}/sync_server`, { method: "POST", headers, body: JSON.stringify([record]) }))
        .status;
    };
    expect(await track()).toBe(200);
    const { applied, needRestart } = await reload(changes);
    expect([applied.toSorted(), needRestart]).toEqual([
      [
        "analysis.rateLimit",
        "channel.outbound.allow",
        "channel.retentionMs",
        "drainMs",
        "events.keepDays",
        "events.lag.warnMs",
        "events.spool.minFreeBytes",
        "log.access",
        "mcp.push.allow",
        "mcp.push.maxPerDay",
        "mcp.push.maxUsers",
        "metrics.auth",
        "webhook.inbox.maxPendingAgeMs",
        "webhook.inbox.retention.finishedMs",
      ],
      [],
    ]);
    expect(await track()).toBe(503);
    expect([await metrics("no-key"), await metrics("first-key")]).toEqual([401, 200]);
    expect(running.drainMs()).toBe(2_000);
    expect([await projects(), await projects()]).toEqual([200, 429]);
    await reload();
    expect([await metrics("no-key"), await projects(), await track()]).toEqual([200, 200, 200]);
  });

  it("ends the streams of a key that it removes", async () => {
    const { reload, url } = server();
    const client = createClient(RecordWatcher, createGrpcTransport({ baseUrl: url }));
    const stream = client.watchRecords({ projectId: 1n }, { headers: { authorization: "Bearer first-key" } });
    const ended = (async () => {
      for await (const _ of stream);
    })();
    ended.catch(() => undefined);
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text())
      .toMatch(/engage_calls_in_flight\S*WatchRecords\S* 1\n/);
    await reload({ auth: { mode: "keys", keys: [{ name: "other", sha256: sha256Hex("other-key") }] } });
    await expect(ended).rejects.toMatchObject({ code: Code.Unauthenticated });
    await reload();
  });

  it("keeps its keys when whether callers need one waits for a restart", async () => {
    const { reload, call } = server();
    expect(await reload({ auth: { mode: "off", keys: [] } })).toEqual({
      applied: [],
      needRestart: ["auth.mode", "auth.keys"],
    });
    expect((await call("/v1/settings/keys", "first-key")).status).toBe(200);
    expect((await call("/v1/settings/keys", "second-key")).status).toBe(401);
    await reload();
  });

  it("keeps all old settings when one of the new ones is wrong", async () => {
    const { reload, call } = server();
    const keys = [{ name: "third", sha256: sha256Hex("third-key") }];
    const wrong = { auth: { mode: "keys", keys }, parser: { formats: [formatOf("x", "(")] } };
    await expect(reload(wrong)).rejects.toMatchObject({
      name: "ConfigError",
      problems: [{ path: "parser.formats[0].pattern" }],
    });
    expect((await call("/v1/settings/keys", "third-key")).status).toBe(401);
    expect((await call("/v1/settings/keys", "first-key")).status).toBe(200);
    expect(await reload()).toEqual({ applied: [], needRestart: [] });
  });
});

it("reloads at SIGHUP, and says in its log what it did", async () => {
  const write = (changes?: object) =>
    writeFileSync(
      join(cwd, "engage.yaml"),
      JSON.stringify(settingsOf({ log: { level: "info" }, ...changes })),
    );
  const cwd = folderWith({});
  write();
  const child = startEngage(["serve"], { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async (text: string): Promise<object> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the log ended without ${JSON.stringify(text)}`);
      const line = JSON.parse(value as string) as { msg: string };
      if (line.msg.startsWith(text)) return line;
    }
  };
  await next("listening");
  write({ console: false, drainMs: 5, analysis: {} });
  child.kill("SIGHUP");
  expect(await next("reloaded")).toMatchObject({ level: "info", applied: ["drainMs", "analysis.tokens"] });
  expect(await next("changed settings need a restart")).toMatchObject({ settings: ["console"] });
  writeFileSync(join(cwd, "engage.yaml"), "drainMs: soon");
  child.kill("SIGHUP");
  expect(await next("not reloaded")).toMatchObject({ level: "error" });
  const ended = once(child, "close");
  child.kill("SIGTERM");
  expect(await next("stopping")).toMatchObject({ drainMs: 5 });
  expect(await ended).toEqual([0, null]);
});
