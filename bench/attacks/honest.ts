import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { secret, token } from "./settings.ts";

/** A caller of another address that makes one call of each kind every 20 ms; prints how long each took. */
const [port = 0, seconds = 0] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

function call(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const options = {
      host: "127.0.0.1",
      localAddress: "127.0.0.2",
      port,
      path,
      method: "POST",
      headers: { "content-type": "application/json", "content-length": length, ...headers },
      agent,
      timeout: 30_000,
    };
    const sent = request(options, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("timeout", () => sent.destroy(new Error("no answer within 30 s")));
    sent.once("error", reject);
    sent.end(body);
  });
}

const batch = JSON.stringify(
  Array.from({ length: 20 }, (_, at) => ({ push_id: `p${at}`, "#ops_receipt_properties": {} })),
);
const signature = createHmac("sha1", secret).update(batch).digest("hex");
const content = Buffer.from('records|ta|{"#type":"track"}').toString("base64");
const query = JSON.stringify({
  projectId: 1,
  eventView: { recentDay: "1-7", timeParticleSize: "day" },
  events: [{ type: "normal", eventName: "anyEvent", analysis: "TOTAL_TIMES" }],
});
const kinds = {
  webhook: () => call("/webhook/demo", { "x-svc-ops-signature": signature }, batch),
  parse: () => call("/proto.Parser/Parse", {}, JSON.stringify({ content })),
  query: () => call(`/open/event-analyze?token=${token}`, {}, query),
};

const latencies: Record<string, number[]> = { webhook: [], parse: [], query: [] };
let failed = 0;
const calls: Promise<void>[] = [];
const startMs = performance.now();
for (let at = 0; at * 20 < seconds * 1_000; at++) {
  const dueMs = startMs + at * 20;
  await sleep(Math.max(0, dueMs - performance.now()));
  for (const [kind, make] of Object.entries(kinds)) {
    const note = (status: number) => {
      if (status === 200) latencies[kind]!.push(performance.now() - dueMs);
      else failed++;
    };
    calls.push(make().then(note, () => void failed++));
  }
}
await Promise.all(calls);
agent.destroy();
console.log(JSON.stringify({ latencies, failed }));
