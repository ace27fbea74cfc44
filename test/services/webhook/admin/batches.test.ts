import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Client, Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { SignatureScheme } from "../../../../gen/engage/webhook/v1/received_batch_pb.ts";
import type { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type Channel, compileChannels } from "../../../../services/webhook/channels.ts";
import { channelSchema } from "../../../../services/webhook/config.ts";
import { createExplainer } from "../../../../services/webhook/explain/explainer.ts";
import type { NewBatch } from "../../../../store/inbox/inbox.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";
import { sign } from "../receiver.ts";
import { failure, openForEach, openService } from "./service.ts";

const { harness } = openForEach();

/** The service with a channel for each name, with its secret. */
function serviceWith(secrets: Readonly<Record<string, string>>): Client<typeof WebhookReceiver> {
  const configs = Object.entries(secrets).map(
    ([name, value]) => [name, channelSchema.parse({ secrets: [{ value }] })] as const,
  );
  const channels: ReadonlyMap<string, Channel> = compileChannels(Object.fromEntries(configs), () => "");
  const known = [...channels.values()].flatMap((channel) => channel.secrets ?? []);
  return openService(harness(), { channels, explain: createExplainer(() => known, harness().clock.now) });
}

async function accept(changes: Partial<NewBatch> = {}): Promise<string> {
  return (await harness().inbox.accept(batchOf(["a", "b"], changes))).batchId;
}

const { body } = batchOf(["a", "b"]);
const signed = (secret: string) =>
  ({ auth: { scheme: "hmac-sha1", header: "x-signature", value: sign(body, secret) } }) as const;

describe("ListBatches", () => {
  it("filters by every field", async () => {
    const service = serviceWith({});
    await accept({ requestId: "r1" });
    const middle = timestampFromMs(harness().clock.now() + 1);
    await harness().clock.pass(1_000);
    await accept({ channel: "d" });
    const idsOf = async (request: Parameters<typeof service.listBatches>[0]) =>
      (await service.listBatches(request)).batches.map(({ channel }) => channel).join("");
    expect([
      await idsOf({}),
      await idsOf({ filter: { channel: "d" } }),
      await idsOf({ filter: { requestId: "r1" } }),
      await idsOf({ filter: { acceptedFrom: middle } }),
      await idsOf({ filter: { acceptedUntil: middle } }),
      await idsOf({ filter: { channel: "x" } }),
    ]).toEqual(["dc", "d", "c", "d", "c", ""]);
  });

  it("goes from page to page to the end, with the filter of the first", async () => {
    const service = serviceWith({});
    for (let count = 0; count < 7; count++) await accept();
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await service.listBatches({ pageSize: 3, pageToken });
      seen.push(...page.batches.map(({ batchId }) => batchId));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    const first = await service.listBatches({ pageSize: 3 });
    const other = service.listBatches({ filter: { channel: "c" }, pageToken: first.nextPageToken });
    await expect(other).rejects.toMatchObject({ code: Code.InvalidArgument });
  });
});

describe("GetBatch", () => {
  it("shows what was received and what became of it", async () => {
    const batchId = await accept({ requestId: "r1", ...signed("ours") });
    const { items } = await harness().inbox.lease({ target: "t", maxElements: 9, leaseMs: 1_000 });
    await harness().inbox.settle(items[0]!.token, [{ index: 1, kind: "dead", reason: "no" }]);
    const found = await serviceWith({ c: "ours" }).getBatch({ batchId });
    expect(found).toMatchObject({
      batch: { batchId, channel: "c", requestId: "r1", bodyBytes: BigInt(body.length) },
      damage: "",
      signature: {
        scheme: SignatureScheme.HMAC_SHA1,
        header: "x-signature",
        value: sign(body, "ours"),
        matches: true,
        cause: "",
      },
      deliveries: [
        { index: 1, pushId: "a", state: DeliveryState.LEASED },
        { index: 2, pushId: "b", state: DeliveryState.DEAD, reason: "no" },
      ],
    });
    expect(Buffer.from(found.body)).toEqual(Buffer.from(body));
    expect(Buffer.from(found.reply!).toString()).toBe('{"return_code":0,"n":2}');
  });

  it.each([
    [
      "another secret",
      { c: "new" },
      "another secret, or the body was changed in transit: no other known cause fits",
    ],
    ["a secret of another channel", { c: "new", d: "ours" }, 'signed with the secret of channel "d"'],
    ["a line end in the secret", { c: "ours\n" }, "signed with the secret without the spaces around it"],
    ["no channel", { d: "other" }, 'channel "c" is not configured any more'],
  ])("names the likely cause when the signature matches no more: %s", async (_name, secrets, cause) => {
    const batchId = await accept(signed("ours"));
    const { signature } = await serviceWith(secrets).getBatch({ batchId });
    expect(signature).toMatchObject({ scheme: SignatureScheme.HMAC_SHA1, matches: false, cause });
  });

  it("explains a bounded number of signatures", async () => {
    const batchId = await accept(signed("ours"));
    const service = serviceWith({ c: "new" });
    const causes: string[] = [];
    for (let count = 0; count < 8; count++) {
      causes.push((await service.getBatch({ batchId })).signature!.cause);
    }
    expect(causes.at(-1)).toBe("not explained: too many were asked for");
  });

  it.each([
    [{ scheme: "caller" }, SignatureScheme.CALLER],
    [{ scheme: "none" }, SignatureScheme.NONE],
    [undefined, SignatureScheme.UNSPECIFIED],
  ] as const)("checks no signature of %j", async (auth, scheme) => {
    const batchId = await accept(auth === undefined ? {} : { auth });
    const { signature } = await serviceWith({ c: "ours" }).getBatch({ batchId });
    expect(signature).toMatchObject({ scheme, header: "", value: "", cause: "" });
    expect(signature!.matches).toBeUndefined();
  });

  it.each([
    ["", Code.InvalidArgument, "batch_id is required"],
    ["nope", Code.NotFound, 'batch_id "nope" is unknown, in flight or no longer kept'],
  ])("refuses %j", async (batchId, code, message) => {
    const error = await failure(serviceWith({}).getBatch({ batchId }));
    expect([error.code, error.rawMessage]).toEqual([code, expect.stringContaining(message)]);
  });
});
