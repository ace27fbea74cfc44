import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type IngestServer, openIngestServer, taken } from "../../services/webhook/ingest-server.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import type { Engage } from "../webhook/engage.ts";
import { openReplicas, post, type Replicas } from "./replicas.ts";

let server: PostgresServer;
let folder: Awaited<ReturnType<typeof openTempFolder>>;
let ingest: IngestServer;
let replicas: Replicas;

const timeout = { timeout: 60_000 };

beforeAll(async () => {
  [server, folder, ingest] = await Promise.all([openPostgresServer(), openTempFolder(), openIngestServer()]);
  replicas = await openReplicas(folder.path, 2, {
    stores: { driver: "shared", postgres: { url: server.url, maxConnections: 4 } },
    events: { driver: "duckdb" },
    projects: [{ id: 1 }],
    webhook: {
      clicks: { forward: { url: ingest.url, appid: "APP" } },
      outbound: { allow: [`127.0.0.1:${ingest.port}`] },
    },
  });
});
afterAll(async () => {
  await replicas[Symbol.asyncDispose]();
  await Promise.all([server, folder, ingest].map((one) => one[Symbol.asyncDispose]()));
});

async function click(replica: Engage, uuid: string): Promise<number> {
  const body = { pushId: "ann", uuid, "#ops_receipt_properties": {} };
  return (await post(replica, "/v1/webhook/clicks", body)).status;
}

interface Clicked {
  readonly "#uuid": string;
}

const forwarded = (): Set<string> =>
  new Set(ingest.calls.flatMap(({ text }) => (JSON.parse(text) as Clicked[]).map((one) => one["#uuid"])));

const letters = (list: string): Record<string, unknown>[] =>
  server
    .query(`SELECT content FROM engage.deadletters WHERE list = '${list}' ORDER BY part, number`)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

it("migrates once, and has nothing to do afterwards", async () => {
  const output = await replicas.run("migrate");
  expect(
    output
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("nothing to do: ")),
  ).toEqual([]);
  expect(output).toContain('nothing to do: tokens in schema "engage" has version 1\n');
  expect(output).toContain('nothing to do: saved queries in schema "engage" has version 1\n');
});

it("knows tokens of commands on every replica", async () => {
  const [first, second] = replicas.all as [Engage, Engage];
  const { token } = JSON.parse(await replicas.run("token", "create", "shop", "--project", "1", "--json")) as {
    token: string;
  };
  const ask = async (replica: Engage): Promise<unknown> => {
    const response = await post(replica, `/open/event-analyze?token=${token}`, { projectId: 1 });
    return ((await response.json()) as { return_code: number }).return_code;
  };
  // The query itself is wrong.
  for (const replica of [first, second])
    await vi.waitFor(async () => expect(await ask(replica)).toBe(-1001), timeout);
  expect(await replicas.run("token", "list")).toContain("shop");
  await replicas.run("token", "revoke", "shop");
  for (const replica of [first, second])
    await vi.waitFor(async () => expect(await ask(replica)).toBe(-1002), timeout);
});

it("keeps the lines which replicas refuse in one list", async () => {
  // No format is configured.
  const content = (text: string): string => Buffer.from(text).toString("base64");
  for (const [n, replica] of replicas.all.entries()) {
    const response = await post(replica, "/proto.Parser/Parse", { content: content(`no JSON ${n}`) });
    expect(response.status).toBe(200);
  }
  await vi.waitFor(() => expect(letters("parser")).toHaveLength(2), timeout);
});

it("forwards the clicks of all replicas, after the one that forwards was killed too", async () => {
  const [first, second] = replicas.all as [Engage, Engage];
  const uuids = Array.from({ length: 40 }, (_, n) => `u${n}`);
  for (const [n, uuid] of uuids.slice(0, 20).entries()) {
    expect(await click(n % 2 === 0 ? first : second, uuid)).toBe(200);
  }
  await vi.waitFor(() => expect(forwarded().size).toBe(20), timeout);
  const metric = async ({ port }: Engage): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^engage_webhook_click_forwarded_total (\d+)$/m.exec(text)?.[1]);
  };
  // One of them has forwarded all.
  const counts = [await metric(first), await metric(second)];
  expect(counts.toSorted((a, b) => a - b)).toEqual([0, 20]);
  const holder = replicas.all[counts.indexOf(20)]!;
  const other = replicas.all[counts.indexOf(0)]!;
  await holder.kill();
  for (const uuid of uuids.slice(20)) expect(await click(other, uuid)).toBe(200);
  await vi.waitFor(() => expect(forwarded()).toEqual(new Set(uuids)), timeout);
  await holder.start();
});

it("keeps a refused click once", async () => {
  ingest.reply = ({ text }) => (text.includes('"bad"') ? { text: '{"code":-1,"msg":"bad"}' } : taken);
  expect(await click(replicas.all[0]!, "bad")).toBe(200);
  expect(await click(replicas.all[1]!, "good")).toBe(200);
  await vi.waitFor(() => expect(forwarded()).toContain("good"), timeout);
  await vi.waitFor(() => expect(letters("clicks")).toHaveLength(1), timeout);
  expect(letters("clicks")[0]).toMatchObject({ reason: "refused", source: "webhook.clicks.forward" });
});

it("shows the same dead letters on every replica, and one of them replays", async () => {
  const list = async ({ port }: Engage, kind: string): Promise<readonly unknown[]> => {
    const query = `filter.kind=DEAD_LETTER_KIND_${kind}`;
    const response = await fetch(`http://127.0.0.1:${port}/v1/dead-letters?${query}`);
    return ((await response.json()) as { deadLetters: unknown[] }).deadLetters;
  };
  for (const replica of replicas.all) {
    expect(await list(replica, "CLICK")).toMatchObject([
      { reason: "refused", source: "webhook.clicks.forward" },
    ]);
    expect(await list(replica, "PARSER")).toHaveLength(2);
  }
  ingest.reply = () => taken;
  const sent = ingest.calls.length;
  const body = { filter: { kind: "DEAD_LETTER_KIND_CLICK" }, all: true };
  const replays = replicas.all.map((replica) => post(replica, "/v1/dead-letters:replay", body));
  const answers = await Promise.all((await Promise.all(replays)).map((response) => response.json()));
  const replayed = (answers as { replayed?: string }[]).map((answer) => Number(answer.replayed ?? 0));
  expect(replayed.reduce((sum, one) => sum + one, 0)).toBe(1);
  const again = (): boolean => ingest.calls.slice(sent).some(({ text }) => text.includes('"bad"'));
  await vi.waitUntil(again, timeout);
  for (const replica of replicas.all) expect(await list(replica, "CLICK")).toEqual([]);
  expect(letters("clicks")).toEqual([]);
});

it("starts and reports while the database is unavailable, and continues when it is available again", async () => {
  const [first, second] = replicas.all as [Engage, Engage];
  await server.kill();
  const ready = async ({ port }: Engage) => await fetch(`http://127.0.0.1:${port}/readyz`);
  await vi.waitFor(async () => expect((await ready(first)).status).toBe(503), timeout);
  expect(await (await ready(first)).text()).toContain("postgres");
  await second.kill();
  await second.start();
  expect((await click(second, "away")) >= 500).toBe(true);
  await server.start();
  await vi.waitFor(async () => expect((await ready(second)).status).toBe(200), timeout);
  expect(await click(second, "back")).toBe(200);
  await vi.waitFor(() => expect(forwarded()).toContain("back"), timeout);
});
