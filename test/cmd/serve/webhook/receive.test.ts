import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  DeadSchema,
  DoneSchema,
  type HandedMessage,
  type MessageResult,
  MessageResultSchema,
} from "../../../../gen/engage/webhook/v1/batch_pb.ts";
import { openForAll } from "../../../open-for-all.ts";
import { batchOf, readBody } from "../../../services/webhook/bodies.ts";
import { openHandlerServer } from "../../../services/webhook/targets/handler-server.ts";
import { openCheckerServer } from "../../checker-server.ts";
import { dataFolder, openWebhookServer, secret, sign } from "../../webhook-server.ts";

const success = '{"return_code":0,"return_message":"success","data":{"fail_list":[]}}';

describe("cases of the platform, over HTTP", () => {
  const accepted = [
    "w001_manual_sample_full.json",
    "w002_readme_curl_subset.json",
    "w004_empty_receipt.json",
    "w007_empty_array.json",
    "w009_journey.json",
    "w010_array_row_and_string_numbers.json",
  ];
  interface Vectors {
    readonly vectors: readonly {
      readonly secret: string;
      readonly body_text: string;
      readonly signature: string;
    }[];
    readonly header_names: readonly string[];
  }
  const { vectors, header_names: headerNames } = JSON.parse(
    readFileSync("test/testdata/cases/w012_signature_vectors.json", "utf8"),
  ) as Vectors;
  /** Bodies of different cases have the same id, so each goes to a channel of its own. */
  const channelOf = (file: string) => file.slice(0, 4);
  const vectorChannelOf = (header: string, at: number) => `${header}-${at}`.toLowerCase();
  const shared = openForAll((onEnd) => {
    const signed = { secrets: [{ value: secret }], targets: ["pulled"] };
    const channels = {
      ...Object.fromEntries(accepted.map((file) => [channelOf(file), signed])),
      ...Object.fromEntries(
        headerNames.flatMap((header) =>
          vectors.map(({ secret: value }, at) => [
            vectorChannelOf(header, at),
            { secrets: [{ value }], signatureHeaders: headerNames },
          ]),
        ),
      ),
      demo: signed,
    };
    return openWebhookServer({ channels }, { onEnd });
  });

  test.each(accepted)("%s is accepted", async (file) => {
    const { status, text, headers } = await shared().send(readBody(file), { channel: channelOf(file) });
    expect([status, headers.get("content-type"), text]).toEqual([200, "application/json", success]);
  });

  test("w005: each bad element is named", async () => {
    const { status, text } = await shared().send(readBody("w005_three_bad_elements.json"));
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        return_code: 0,
        return_message: "success",
        data: {
          fail_list: [
            { index: 1, message: "push_id is required" },
            { index: 2, message: "#ops_receipt_properties is required" },
            { index: 3, message: "params must be an object when provided" },
          ],
        },
      },
    ]);
  });

  test("w006: an object is refused", async () => {
    const { status, text } = await shared().send(readBody("w006_not_an_array.json"));
    expect([status, JSON.parse(text)]).toEqual([
      400,
      { return_code: 1, return_message: "body must be an array of messages, found an object" },
    ]);
  });

  test.each(headerNames)("w012: signatures in %s", async (name) => {
    const wrong = Object.fromEntries(headerNames.map((other) => [other, "bad"]));
    for (const [i, { body_text: body, signature }] of vectors.entries()) {
      const given = [signature, ` ${signature.toUpperCase()} `, sign(body, "another"), "bad"];
      const answers = given.map((value) =>
        shared().send(body, { channel: vectorChannelOf(name, i), headers: { ...wrong, [name]: value } }),
      );
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 401, 401]);
    }
  });

  test("w015: a receipt that is a text is refused, with the reason", async () => {
    const event = JSON.parse(readBody("w015_click_event_broken_string.json").toString());
    const click = {
      accountId: event["#account_id"],
      "#ops_receipt_properties": event.properties["#ops_receipt_properties"],
    };
    const { status, text } = await shared().rest("/v1/webhook/clicks", click);
    expect([status, JSON.parse(text).message]).toEqual([
      400,
      "#ops_receipt_properties must be an object, found a string: the platform ignores strings, send the object itself",
    ]);
  });
});

test("a batch that is sent again has the stored reply, byte for byte, and is stored once", async () => {
  const server = await openWebhookServer();
  const body = batchOf(["a", "", "b"], "r-1");
  const replies = await Promise.all(Array.from({ length: 20 }, () => server.send(body)));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies[0]!.text).toContain('{"index":2,"message":"push_id is required"}');
  const { text } = await server.rest("/v1/webhook/stats");
  expect(JSON.parse(text).targets).toMatchObject([{ accepted: "2", pending: "2" }]);
});

test("the same id with another body is a conflict", async () => {
  const server = await openWebhookServer();
  expect((await server.send(batchOf(["a"], "r-1"))).text).toBe(success);
  const { status, text } = await server.send(batchOf(["b"], "r-1"));
  expect([status, JSON.parse(text).return_code]).toEqual([409, 1]);
});

const large = Buffer.concat([Buffer.from("["), Buffer.alloc(2_000_000, " "), Buffer.from("]")]);

test("the size of a body is limited by the channel, also beyond the limit for other calls", async () => {
  const server = await openWebhookServer(
    {
      channels: {
        demo: { secrets: [{ value: secret }], maxBytes: 2_000_002 },
        small: { auth: "off", maxBytes: 1_000 },
      },
    },
    { settings: { limits: { maxMessageBytes: 1_000_000 } } },
  );
  expect((await server.send(large)).text).toBe(success);
  const tooLarge = await server.send(Buffer.concat([large, Buffer.from(" ")]));
  const small = await server.send(`[${" ".repeat(1_000)}]`, { channel: "small" });
  expect([tooLarge.status, small.status]).toEqual([413, 413]);
});

test("a full inbox is said in time, in all ways, and work goes on", async () => {
  const server = await openWebhookServer({ inbox: { minFreeBytes: Number.MAX_SAFE_INTEGER } });
  const { status, text, headers } = await server.send(batchOf(["a"], "r-1"));
  expect([status, headers.get("retry-after"), JSON.parse(text)]).toEqual([
    503,
    "30",
    { return_code: 1, return_message: "the inbox is full" },
  ]);
  const ready = await server.rest("/readyz");
  expect([ready.status, JSON.parse(ready.text)]).toEqual([
    503,
    { status: "not ready", checks: { inbox: "accepts no batches" } },
  ]);
  expect((await server.rest("/metrics")).text).toContain("engage_webhook_inbox_writable 0\n");
});

test("ready goes by the age of what waits, when that is asked for", async () => {
  const server = await openWebhookServer({ inbox: { maxPendingAgeMs: 1_000 } });
  await server.send(batchOf(["a"], "r-1"));
  expect((await server.rest("/readyz")).status).toBe(200);
  await expect
    .poll(async () => (await server.rest("/readyz")).text, { timeout: 10_000 })
    .toBe('{"status":"not ready","checks":{"inbox":"a message has waited for longer than 1000 ms"}}');
});

function refuseGone({ index, pushId }: HandedMessage): MessageResult {
  const dead = { case: "dead", value: create(DeadSchema, { reason: "no such player" }) } as const;
  const done = { case: "done", value: create(DoneSchema) } as const;
  return create(MessageResultSchema, { index, outcome: pushId === "gone" ? dead : done });
}

test("sync mode answers with what the targets said", async () => {
  await using handler = await openHandlerServer();
  handler.handle = ({ batch }) => ({ results: batch!.messages.map(refuseGone) });
  const server = await openWebhookServer({
    channels: { demo: { secrets: [{ value: secret }], mode: "sync", targets: ["handler"] } },
    targets: { handler: { kind: "grpc", url: handler.url } },
    outbound: { allow: ["127.0.0.1"] },
  });
  const { text } = await server.send(batchOf(["a", "gone", ""], "r-1"));
  expect(JSON.parse(text).data.fail_list).toEqual([
    { index: 2, message: "no such player" },
    { index: 3, message: "push_id is required" },
  ]);
  const stats = await server.rest("/v1/webhook/stats");
  expect(JSON.parse(stats.text).targets).toMatchObject([
    { accepted: "1", delivered: "1", dead: "0", pending: "0" },
  ]);
});

test("push ids are checked by pattern, list and a service", async () => {
  await using checker = await openCheckerServer({ unusable: [{ pushId: "u3", reason: "account closed" }] });
  const list = join(dataFolder(), "ids.txt");
  writeFileSync(list, "u1\nu2x\nu3\n");
  const pushId = { pattern: "u[0-9]", list, check: { url: checker.url } };
  const server = await openWebhookServer({
    channels: { demo: { secrets: [{ value: secret }], pushId } },
    outbound: { allow: ["127.0.0.1"] },
  });
  const { text } = await server.send(batchOf(["u1", "u2x", "u3", "u4"], "r-1"));
  expect(JSON.parse(text).data.fail_list).toEqual([
    { index: 2, message: "push_id does not match the pattern of the channel" },
    { index: 3, message: "account closed" },
    { index: 4, message: "push_id is not in the list of the channel" },
  ]);
  expect(checker.asked).toEqual([{ channel: "demo", pushIds: ["u1", "u2x", "u3", "u4"] }]);
});

test("a check that fails refuses nothing", async () => {
  const server = await openWebhookServer({
    channels: { demo: { secrets: [{ value: secret }], pushId: { check: { url: "http://127.0.0.1:1" } } } },
    outbound: { allow: ["127.0.0.1"] },
  });
  expect((await server.send(batchOf(["u1"], "r-1"))).text).toBe(success);
  expect((await server.rest("/metrics")).text).toContain(
    'engage_webhook_failed_checks_total{channel="demo",what="push_id_check"} 1\n',
  );
});
