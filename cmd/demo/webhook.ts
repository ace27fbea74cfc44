import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { defaultSignatureHeader, signBody } from "../../base/net/signature.ts";
import { countOf } from "../../base/text/count.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { DemoHandler } from "./handler.ts";
import { type Demo, until } from "./stage.ts";

const receipt = '{"ops_project_id":1,"ops_task_id":"0050","ops_request_id":"demo-batch-1","weight":1.0}';
const batch = `[${[
  `{"push_id":"ann","params":{"title":"Hi Ann"},"#ops_receipt_properties":${receipt}}`,
  `{"push_id":"closed","params":{"title":"Hi there"},"#ops_receipt_properties":${receipt}}`,
  `{"push_id":"","params":{"title":"Hi?"},"#ops_receipt_properties":${receipt}}`,
].join(",")}]`;

/** Shows a signed batch, the results of the handler, the same batch again, and a click. */
export async function showWebhook(demo: Demo, handler: DemoHandler, secret: string): Promise<void> {
  const { url, say, transport } = demo;
  const webhook = createClient(WebhookReceiver, transport);
  say(
    "\n4. POST /webhook/demo, as the platform calls it: a signed batch of three messages, one of them broken\n",
  );
  say(`   a handler of the demo's own on ${handler.place} implements engage.handler.v1.MessageHandler`);
  const signature = signBody(secret, Buffer.from(batch));
  say(`   ${defaultSignatureHeader}: ${signature}`);
  say(`   ${batch}`);
  const send = (): Promise<string> =>
    post(`${url}/webhook/demo`, batch, { [defaultSignatureHeader]: signature });
  const reply = await send();
  say(`     → ${reply}`);
  await settled(webhook);
  for (const note of handler.takeNotes()) say(`   ${note}`);

  say("\n   the same batch again, as after a lost response: the stored reply, without a call of the handler");
  const repeated = await send();
  say(`     → ${repeated}`);
  const calls = handler.takeNotes().length;
  say(
    `     ${repeated === reply ? "the same bytes" : "other bytes"}, ${countOf(calls, "call")} of the handler`,
  );

  say("\n   WebhookReceiver over gRPC: counts of messages, and dead letters");
  for (const { target, accepted, delivered, dead, pending } of (await webhook.getStats({})).targets) {
    say(`     ${target}: ${accepted} accepted = ${delivered} delivered + ${dead} dead + ${pending} pending`);
  }
  for (const { pushId, reason, deliveryId } of (await webhook.listDeadLetters({})).deadLetters) {
    say(`     ${deliveryId} for ${pushId}: ${reason}`);
  }
  await showClick(
    demo,
    (await webhook.listDeliveries({ filter: { pushId: "ann" } })).deliveries[0]!.deliveryId,
  );
}

async function showClick({ url, config, say }: Demo, deliveryId: string): Promise<void> {
  const body = JSON.stringify({ deliveryId });
  say(`\n   ann opens the message: POST /v1/webhook/clicks ${body}`);
  say(`     → ${await post(`${url}/v1/webhook/clicks`, body)}`);
  const file = join("clicks", "000000000001.ndjson");
  say(`   ${file} in the data folder, with the receipt byte for byte:`);
  say(`     ${(await readFile(join(config.data, file), "utf8")).trimEnd()}`);
}

async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return `${response.status} ${await response.text()}`;
}

/** Waits until nothing is pending. */
export async function settled(
  webhook: ReturnType<typeof createClient<typeof WebhookReceiver>>,
): Promise<void> {
  await until(
    () => webhook.getStats({}),
    ({ targets }) => targets.every(({ pending }) => pending === 0n),
  );
}
