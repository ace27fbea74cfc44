import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { createForwardLog } from "../../../../cmd/serve/webhook/click-forward.ts";
import { openEngage } from "../../../servers/webhook/engage.ts";
import { type IngestServer, openIngestServer, taken } from "../../../services/webhook/ingest-server.ts";
import { dataFolder, openWebhookServer, type WebhookServer } from "../../webhook-server.ts";

/** For machines that are busy with other tests. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

interface Clicked {
  readonly "#uuid": string;
}

function webhookFor({ url, port }: Pick<IngestServer, "url" | "port">, settings: object = {}) {
  const forward = { url, appid: "APP_ID", ...settings };
  return { clicks: { forward }, outbound: { allow: [`127.0.0.1:${port}`] } };
}

async function click(url: string, uuid: string, receipt = "{}"): Promise<number> {
  const { status } = await fetch(`${url}/v1/webhook/clicks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"pushId":"ann","uuid":${JSON.stringify(uuid)},"#ops_receipt_properties":${receipt}}`,
  });
  return status;
}

const uuidsOf = ({ calls }: IngestServer): string[] =>
  calls.flatMap(({ text }) => (JSON.parse(text) as Clicked[]).map((record) => record["#uuid"]));
const metricsOf = async ({ rest }: WebhookServer): Promise<string> => (await rest("/metrics")).text;

describe("clicks", () => {
  it("reach the ingest with their receipts byte for byte", async () => {
    const receipts = [
      '{"n":1.0,"big":9007199254740993,"e":1e400}',
      '{"2":"b","1":"a","":[ ]}',
      '{"escaped":"\\u00e9\\/\\ud83d\\ude00","plain":"é/😀","d":1,"d":2}',
    ];
    await using ingest = await openIngestServer();
    const server = await openWebhookServer(webhookFor(ingest));
    for (const [i, receipt] of receipts.entries()) await click(server.url, `u${i}`, receipt);
    await eventually(() => uuidsOf(ingest)).toEqual(["u0", "u1", "u2"]);
    const text = ingest.calls.map((call) => call.text).join("");
    for (const receipt of receipts) expect(text).toContain(`"#ops_receipt_properties":${receipt}}`);
    const { path, headers } = ingest.calls[0]!;
    expect([path, headers["appid"], headers["compress"]]).toEqual(["/sync_server", "APP_ID", "gzip"]);
    await eventually(() => metricsOf(server)).toContain("engage_webhook_click_forwarded_total 3\n");
    await eventually(() => metricsOf(server)).toContain("engage_webhook_click_unforwarded_bytes 0\n");
  });

  it("wait while the ingest is down and reach the next one, those of an earlier life too", async () => {
    const down = await openIngestServer();
    await down[Symbol.asyncDispose]();
    const data = dataFolder();
    const first = await openWebhookServer(webhookFor(down), { data });
    expect(await click(first.url, "u0")).toBe(200);
    await eventually(() => metricsOf(first)).toMatch(
      /engage_webhook_click_forward_retries_total\{reason="retry"\} [1-9]/,
    );
    expect(await metricsOf(first)).toMatch(/engage_webhook_click_oldest_unforwarded_seconds [\d.]*[1-9]/);
    await first.stop();
    await using ingest = await openIngestServer(down.port);
    const second = await openWebhookServer(webhookFor(down), { data });
    expect(await click(second.url, "u1")).toBe(200);
    await eventually(() => uuidsOf(ingest)).toEqual(["u0", "u1"]);
  });

  it("that the ingest refuses are dead letters, and the others reach it", async () => {
    await using ingest = await openIngestServer();
    const answers = new Map([[true, { text: '{"code":-1,"msg":"no"}' }]]);
    ingest.reply = ({ text }) => answers.get(text.includes('"bad"')) ?? taken;
    const server = await openWebhookServer(webhookFor(ingest));
    const uuids = ["a", "b", "bad", "c"];
    expect(await Promise.all(uuids.map((uuid) => click(server.url, uuid)))).toEqual([200, 200, 200, 200]);
    await eventually(() => metricsOf(server)).toContain("engage_webhook_click_forwarded_total 3\n");
    await eventually(() => metricsOf(server)).toContain("engage_webhook_click_dead_letters_total 1\n");
    const letter = JSON.parse(readFileSync(join(server.data, "clicks/dead-letters.ndjson"), "utf8"));
    expect(letter).toMatchObject({
      source: "webhook.clicks.forward",
      reason: "refused",
      message: 'HTTP 200: {"code":-1,"msg":"no"}',
    });
    expect(JSON.parse(letter.line)).toMatchObject({ "#uuid": "bad" });
  });

  it("stay where they are without a forwarder", async () => {
    const server = await openWebhookServer();
    await click(server.url, "u0");
    expect(readdirSync(join(server.data, "clicks"))).toEqual(["000000000001.ndjson"]);
    expect(await metricsOf(server)).not.toContain("engage_webhook_click_");
  });
});

test("a process killed while the ingest has clicks it has not answered loses none", async () => {
  await using ingest = await openIngestServer();
  const config = { log: { level: "info" }, webhook: webhookFor(ingest, { batchRecords: 3 }) };
  await using engage = await openEngage(dataFolder(), config);
  const acknowledged: string[] = [];
  const ends = {
    beforeItsAnswer: () => engage.kill(),
    afterItsAnswer: async () => void setImmediate(() => void engage.kill()),
  };
  for (const [life, end] of Object.entries({ ...ends, beforeItsAnswerAgain: ends.beforeItsAnswer })) {
    const reported = Promise.withResolvers<void>();
    ingest.reply = async () => {
      await reported.promise;
      await end();
      return taken;
    };
    const uuids = Array.from({ length: 10 }, (_, n) => `${life}-${n}`);
    const report = (uuid: string) => click(`http://127.0.0.1:${engage.port}`, uuid);
    expect(await Promise.all(uuids.map(report))).toEqual(uuids.map(() => 200));
    acknowledged.push(...uuids);
    reported.resolve();
    await engage.ended();
    ingest.reply = () => taken;
    await engage.start();
  }
  await eventually(() => acknowledged.filter((uuid) => !uuidsOf(ingest).includes(uuid))).toEqual([]);
  const arrivals = uuidsOf(ingest);
  expect(arrivals.length).toBeGreaterThan(acknowledged.length);
  expect(new Set(arrivals)).toEqual(new Set(acknowledged));
});

test("an unknown appid is reported with the setting's name", () => {
  const lines: unknown[] = [];
  const note = (level: string) => (fields: object, message: string) => lines.push([level, fields, message]);
  const counters = { forwarded() {}, retried() {}, dead() {}, failed() {} };
  const logger = { warn: note("warn"), error: note("error") } as never;
  const log = createForwardLog({ url: "http://a", appid: "APP_ID" }, logger, () => ({}), counters);
  log.retried({ kind: "unknown_appid", reason: "HTTP 200" }, 60_000);
  log.retried({ kind: "retry", reason: "HTTP 503" }, 500.4);
  const call = { url: "http://a", reason: "HTTP 200", delayMs: 60_000, appid: "APP_ID" };
  expect(lines).toEqual([
    [
      "error",
      call,
      "could not forward clicks, will retry: the ingest does not know webhook.clicks.forward.appid",
    ],
    ["warn", { url: "http://a", reason: "HTTP 503", delayMs: 500 }, "could not forward clicks, will retry"],
  ]);
});
