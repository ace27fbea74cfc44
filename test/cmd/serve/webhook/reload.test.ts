import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { batchOf } from "../../../services/webhook/bodies.ts";
import { allDone, openHandlerServer } from "../../../services/webhook/targets/handler-server.ts";
import { openHttpServer } from "../../../services/webhook/targets/http-server.ts";
import { dataFolder, openWebhookServer, secret, sign, type WebhookClient } from "../../webhook-server.ts";
import { startSignalledServer } from "./signalled-server.ts";

interface Books {
  readonly channel: string;
  readonly target: string;
  readonly accepted: string;
  readonly delivered: string;
  readonly pending: string;
  readonly dead: string;
}

interface Sent {
  readonly pushId: string;
  readonly status: number;
}

const patiently = { timeout: 20_000 };

async function books({ rest }: WebhookClient): Promise<readonly Books[]> {
  return JSON.parse((await rest("/v1/webhook/stats")).text).targets;
}

const untilDelivered = async (server: WebhookClient): Promise<void> => {
  await expect
    .poll(async () => (await books(server)).filter(({ pending }) => pending !== "0"), patiently)
    .toEqual([]);
};

/** Sends a message to a channel with the signature of a secret. */
const send = (server: WebhookClient, channel: string, pushId: string, key = secret) => {
  const body = batchOf([pushId], `request of ${pushId}`);
  return server.send(body, { channel, headers: { "x-svc-ops-signature": sign(body, key) } });
};

const reloads = 20;

test("20 signals under load lose no message and deliver none twice", async () => {
  await using receiver = await openHttpServer();
  receiver.answer = (response) => setTimeout(() => response.end(), Math.random() * 5);
  const targetOf = (name: string, more: object = {}) => ({
    kind: "http",
    url: `http://127.0.0.1:${receiver.port}/${name}`,
    retry: { minDelayMs: 10 },
    ...more,
  });
  const secretOf = (turn: number) => ({ value: `secret number ${turn} of the channel` });
  /** Each turn changes the target a, has the targets b and c or not, and the channel extra or not. */
  const settingsOf = (turn: number, isLast = false) => {
    const names = [
      "a",
      ...(turn % 2 === 0 || isLast ? ["b"] : []),
      ...(turn % 3 === 0 || isLast ? ["c"] : []),
    ];
    const a = targetOf("a", { concurrency: (turn % 4) + 1, headers: { "x-turn": `${turn}` }, ordered: true });
    return {
      channels: {
        main: { secrets: [secretOf(turn), secretOf(turn + 1)], targets: names, maxMessages: 100 + turn },
        ...((turn % 2 === 1 || isLast) && { extra: { auth: "off", targets: ["a"] } }),
      },
      targets: Object.fromEntries(
        Object.entries({ a, b: targetOf("b"), c: targetOf("c", { per: "batch" }) }).filter(([name]) =>
          names.includes(name),
        ),
      ),
      outbound: { allow: [`127.0.0.1:${receiver.port}`] },
    };
  };
  const server = await startSignalledServer(settingsOf(0));
  let turn = 0;
  let isOver = false;
  const sent = { main: [] as Sent[], extra: [] as Sent[] };
  const keepSending = async (channel: keyof typeof sent, sender: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const pushId = `${channel}-${sender}-${n}`;
      const { status } = await send(server, channel, pushId, secretOf(turn + 1).value);
      sent[channel].push({ pushId, status });
    }
  };
  const senders = [...[1, 2, 3, 4].map((n) => keepSending("main", n)), keepSending("extra", 1)];
  onTestFinished(async () => {
    isOver = true;
    await Promise.allSettled(senders);
  });
  for (let next = 1; next <= reloads; next++) {
    const count = sent.main.length;
    await expect.poll(() => sent.main.length, { interval: 2, timeout: 20_000 }).toBeGreaterThan(count + 4);
    // The senders use the newer of two secrets, which the next turn accepts too.
    await server.reload(settingsOf(next));
    turn = next;
  }
  isOver = true;
  await Promise.all(senders);
  await server.reload(settingsOf(reloads, true));
  await untilDelivered(server);

  const statuses = (all: readonly Sent[]) => [...new Set(all.map(({ status }) => status))].toSorted();
  expect([statuses(sent.main), statuses(sent.extra)]).toEqual([[200], [200, 404]]);
  const received = (name: string): string[] =>
    receiver.calls
      .filter(({ url }) => url === `/${name}`)
      .flatMap(({ body }) => [JSON.parse(body)].flat())
      .map(({ push_id: pushId }) => pushId);
  const accepted = [...sent.main, ...sent.extra].filter(({ status }) => status === 200);
  expect(received("a").toSorted()).toEqual(accepted.map(({ pushId }) => pushId).toSorted());
  for (const name of ["b", "c"]) {
    const all = received(name);
    expect(new Set(all).size).toBe(all.length);
    const { accepted: count } = (await books(server)).find(({ target }) => target === name)!;
    expect(count).toBe(`${all.length}`);
  }
  for (const { accepted: all, delivered, dead } of await books(server)) {
    expect([delivered, dead]).toEqual([all, "0"]);
  }
  expect(receiver.calls.filter(({ url, headers }) => url === "/a" && headers["x-turn"] === "7")).not.toEqual(
    [],
  );
});

describe("a reload", () => {
  it("opens the inbox for the first channel, and keeps it without any", async () => {
    const server = await openWebhookServer({ channels: {}, targets: {} });
    const checks = async () => JSON.parse((await server.rest("/readyz")).text).checks;
    expect([await checks(), (await send(server, "demo", "u")).status]).toEqual([{}, 404]);
    const kinds = async () => JSON.parse((await server.rest("/v1/dead-letter-kinds")).text).kinds;
    expect(JSON.stringify(await kinds())).toContain("stores no messages");
    expect(await server.reload({})).toEqual({
      applied: ["webhook.channels.demo", "webhook.targets.pulled"],
      needRestart: [],
    });
    expect([await checks(), (await send(server, "demo", "u")).status]).toEqual([{ inbox: "ok" }, 200]);
    expect(JSON.stringify(await kinds())).not.toContain("stores no messages");
    await server.reload({ channels: {}, targets: {} });
    expect((await send(server, "demo", "v")).status).toBe(404);
    expect(await books(server)).toMatchObject([{ channel: "demo", target: "pulled", pending: "1" }]);
  });

  it("changes nothing when another part cannot, nor while the place of the inbox waits for a restart", async () => {
    const server = await openWebhookServer({ channels: {}, targets: {} });
    const formats = [{ name: "f", index: "f", type: "regex", pattern: "(" }];
    await expect(server.reload({}, { parser: { formats } })).rejects.toThrow("parser.formats[0].pattern");
    expect((await send(server, "demo", "u")).status).toBe(404);
    expect(await server.reload({ inbox: { file: "other.db" } })).toEqual({
      applied: [],
      needRestart: ["webhook.channels.demo", "webhook.targets.pulled", "webhook.inbox.file"],
    });
    expect((await send(server, "demo", "u")).status).toBe(404);
    expect((await server.reload({})).needRestart).toEqual([]);
    expect((await send(server, "demo", "u")).status).toBe(200);
  });

  it("keeps the messages of removed targets, says so, and delivers them when the targets are back", async () => {
    await using handler = await openHandlerServer();
    handler.handle = allDone;
    const log = join(dataFolder(), "log");
    const logFd = openSync(log, "w");
    onTestFinished(() => closeSync(logFd));
    const outbound = { allow: [`127.0.0.1:${handler.port}`] };
    const handled = { kind: "grpc", url: handler.url };
    const channel = { secrets: [{ value: secret }], targets: ["pulled", "handled"] };
    const targets = { pulled: { kind: "pull" }, handled };
    const server = await openWebhookServer({ channels: { demo: channel }, targets, outbound }, { logFd });
    await send(server, "demo", "first");
    const lease = { target: "pulled", maxMessages: 1, lease: "60s" };
    const leased = JSON.parse((await server.rest("/v1/webhook/messages:lease", lease)).text).batches;
    await send(server, "demo", "second");
    const without = { ...channel, targets: ["handled"] };
    await server.reload({ channels: { demo: without }, targets: { handled }, outbound });
    await expect
      .poll(() => readFileSync(log, "utf8"), patiently)
      .toMatch(/"target":"pulled","pending":2.*messages wait for a target that is not configured/);
    expect((await server.rest("/v1/webhook/messages:lease", lease)).status).toBe(404);
    // A handler that has leased a message settles it by the settings that the target had.
    const settlements = [{ leaseToken: leased[0].leaseToken, results: [{ index: 1, done: {} }] }];
    const settled = await server.rest("/v1/webhook/messages:settle", { settlements });
    expect([settled.status, JSON.parse(settled.text)]).toMatchObject([200, { settledCount: 1 }]);
    await server.reload();
    const again = JSON.parse((await server.rest("/v1/webhook/messages:lease", lease)).text).batches;
    expect(again.flatMap(({ batch }: { batch: { messages: object[] } }) => batch.messages)).toMatchObject([
      { pushId: "second" },
    ]);
  });

  it("delivers what waits of a removed channel, since its target is there", async () => {
    await using handler = await openHandlerServer();
    handler.handle = () => new Promise(() => {});
    const outbound = { allow: [`127.0.0.1:${handler.port}`] };
    const targets = { handler: { kind: "grpc", url: handler.url, timeoutMs: 200, retry: { minDelayMs: 1 } } };
    const channel = { secrets: [{ value: secret }], targets: ["handler"] };
    const server = await openWebhookServer({ channels: { demo: channel }, targets, outbound });
    await send(server, "demo", "u");
    await expect.poll(() => handler.batches.length, patiently).toBe(1);
    handler.handle = allDone;
    await server.reload({ channels: {}, targets, outbound });
    await untilDelivered(server);
    expect((await send(server, "demo", "v")).status).toBe(404);
  });

  it("ends a running attempt by the old settings, then closes its connection", async () => {
    await using receiver = await openHttpServer();
    const held = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    receiver.answer = (response, { url }) => {
      if (url !== "/old") return void response.end();
      response.socket!.once("close", () => closed.resolve());
      void held.promise.then(() => response.end());
    };
    const settingsOf = (path: string) => ({
      channels: { demo: { secrets: [{ value: secret }], targets: ["crm"] } },
      targets: { crm: { kind: "http", url: `http://127.0.0.1:${receiver.port}${path}` } },
      outbound: { allow: [`127.0.0.1:${receiver.port}`] },
    });
    const server = await openWebhookServer(settingsOf("/old"));
    await send(server, "demo", "first");
    await expect.poll(() => receiver.calls.length, patiently).toBe(1);
    expect(await server.reload(settingsOf("/new"))).toEqual({
      applied: ["webhook.targets.crm.url"],
      needRestart: [],
    });
    await send(server, "demo", "second");
    await expect.poll(() => receiver.calls.map(({ url }) => url), patiently).toEqual(["/old", "/new"]);
    expect(await books(server)).toMatchObject([{ accepted: "2", delivered: "1", pending: "1" }]);
    held.resolve();
    await closed.promise;
    await untilDelivered(server);
    expect(receiver.calls).toHaveLength(2);
    const metrics = (await server.rest("/metrics")).text;
    expect(metrics).toContain('engage_webhook_calls_in_flight{target="crm"} 0');
  });

  it("rotates secrets, and hides old and new ones in what was refused", async () => {
    const withSecrets = (...values: string[]) => ({
      channels: { demo: { secrets: values.map((value) => ({ value })), targets: ["pulled"] } },
    });
    const [first, second] = ["first-secret-of-all", "second-secret-of-all"];
    const server = await openWebhookServer(withSecrets(first!));
    const statuses = async (n: number) => [
      (await send(server, "demo", `a${n}`, first)).status,
      (await send(server, "demo", `b${n}`, second)).status,
    ];
    expect(await statuses(1)).toEqual([200, 401]);
    await server.reload(withSecrets(first!, second!));
    expect(await statuses(2)).toEqual([200, 200]);
    await server.reload(withSecrets(second!));
    expect(await statuses(3)).toEqual([401, 200]);
    const body = JSON.stringify([first, second]);
    expect((await server.send(body, { headers: { "x-svc-ops-signature": "0" } })).status).toBe(401);
    const refusals = JSON.parse((await server.rest("/v1/webhook/refusals")).text).refusals;
    const shown = Buffer.from(refusals[0].body, "base64").toString();
    expect(shown).toMatch(/^\["\*+","\*+"\]$/);
  });

  it("takes a changed file of push ids", async () => {
    const list = join(dataFolder(), "ids.txt");
    writeFileSync(list, "first\n");
    const pushId = { list };
    const server = await openWebhookServer({
      channels: { demo: { secrets: [{ value: secret }], targets: ["pulled"], pushId } },
    });
    const failed = async (name: string) => JSON.parse((await send(server, "demo", name)).text).data.fail_list;
    expect(await failed("second")).toHaveLength(1);
    writeFileSync(list, "first\nsecond\n");
    expect(await server.reload()).toEqual({
      applied: ["webhook.channels.demo.pushId.list"],
      needRestart: [],
    });
    // The request has an id, so that the first one's reply would be repeated.
    const body = batchOf(["second"], "another request");
    expect(JSON.parse((await server.send(body)).text).data.fail_list).toEqual([]);
    expect(await server.reload()).toEqual({ applied: [], needRestart: [] });
  });
});
