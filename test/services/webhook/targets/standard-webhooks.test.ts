import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  decodeSecret,
  messageId,
  signHeaders,
} from "../../../../services/webhook/targets/standard-webhooks.ts";
import { handedBatch, messageJson } from "../handed.ts";

// The example in the documentation of the scheme's libraries.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = Buffer.from('{"test": 2432232314}');
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";

it("signs as the published example", () => {
  expect(signHeaders([decodeSecret(secret)!], id, 1_614_265_330_999, body)).toEqual({
    "webhook-id": id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

it("signs with each key, so that a receiver can change its own", () => {
  const other = Buffer.alloc(32, 7);
  const { "webhook-signature": signature } = signHeaders([decodeSecret(secret)!, other], id, 0, body);
  const mac = createHmac("sha256", other).update(`${id}.0.`).update(body).digest("base64");
  expect(signature?.split(" ")).toEqual([expect.stringMatching(/^v1,/), `v1,${mac}`]);
});

describe("secrets", () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString("base64")}`;
  it.each([24, 32, 64])("of %d bytes are taken", (bytes) => {
    expect(decodeSecret(of(bytes))).toHaveLength(bytes);
  });

  it.each([
    "",
    "whsec_",
    of(23),
    of(65),
    of(32).slice(6),
    "whsec_not base64 at all, is it now?",
    `${of(32)}\n`,
  ])("%j is refused", (text) => {
    expect(decodeSecret(text)).toBeUndefined();
  });
});

describe("the id of what is sent", () => {
  const two = [messageJson("a"), messageJson("b")];
  it("is that of the delivery for one message", () => {
    expect(messageId(handedBatch([messageJson("a")]))).toBe("msg_b1_0_crm");
  });

  it("stays in each attempt", () => {
    expect(messageId(handedBatch(two, { attempt: 5 }))).toBe(messageId(handedBatch(two)));
  });

  it("is another one for other messages of the batch, other targets and each replay", () => {
    const batch = handedBatch(two);
    const ids = [
      batch,
      { ...batch, elements: batch.elements.slice(1) },
      handedBatch(two, { target: "other" }),
      handedBatch(two, { replay: "again" }),
      handedBatch(two, { replay: "once more" }),
    ].map(messageId);
    expect(new Set(ids).size).toBe(5);
  });

  it("holds nothing that could part the signed text or a header", () => {
    expect(messageId(handedBatch([messageJson("a")], { target: "a.b", replay: "x\r\ny: z." }))).toMatch(
      /^msg_[A-Za-z0-9_-]+$/,
    );
  });
});
