import { createSecretKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { signBody } from "../../base/net/signature.ts";
import { checkElements } from "../../services/webhook/receive/elements.ts";
import { scanBatch } from "../../services/webhook/receive/scan.ts";
import { verifySignature } from "../../services/webhook/receive/signature.ts";

/** The vectors of the clients, which the server must agree with. */
interface Body {
  readonly name: string;
  readonly body?: string;
  readonly bodyBase64?: string;
}
interface Signature extends Body {
  readonly secrets: readonly string[];
  readonly signature: string;
  readonly isValid: boolean;
}
interface Batch extends Body {
  readonly requestIds: readonly string[];
  readonly messages: readonly { readonly pushId: string; readonly receipt: string }[];
}
interface Vectors {
  readonly signatures: readonly Signature[];
  readonly batches: readonly Batch[];
  readonly invalidBatches: readonly Body[];
}

const vectors: Vectors = JSON.parse(readFileSync("clients/vectors.json", "utf8"));
const bytesOf = ({ body = "", bodyBase64 }: Body): Buffer =>
  bodyBase64 === undefined ? Buffer.from(body) : Buffer.from(bodyBase64, "base64");
const limits = { maxElements: 500, maxDepth: 64 };

describe("signatures", () => {
  it.each(vectors.signatures)("$name", ({ secrets, signature, isValid, ...body }) => {
    const keys = secrets.map((secret) => ({
      key: createSecretKey(Buffer.from(secret)),
      expiresMs: undefined,
    }));
    const { kind } = verifySignature(bytesOf(body), [signature], keys, 0);
    expect(kind === "match").toBe(isValid);
    const own = secrets.map((secret) => signBody(secret, bytesOf(body)));
    expect(own.includes(signature.trim().toLowerCase())).toBe(isValid);
  });
});

describe("batches", () => {
  /** The key of a batch; several ids make one. */
  const keyOf = (ids: readonly string[]) => [null, ids[0], JSON.stringify(ids)][Math.min(ids.length, 2)];

  it.each(vectors.batches)("$name", ({ requestIds, messages, ...body }) => {
    const bytes = bytesOf(body);
    const scanned = scanBatch(bytes, limits);
    const { accepted, requestId, requestIdCount } = checkElements(bytes, scanned);
    expect([requestIdCount, requestId]).toEqual([requestIds.length, keyOf(requestIds)]);
    expect(scanned.elements.length).toBe(messages.length);
    expect(
      accepted.map(({ index, pushId, receiptStart, receiptEnd }) => [
        index,
        pushId,
        bytes.toString("utf8", receiptStart, receiptEnd),
      ]),
    ).toEqual(
      messages
        .map(({ pushId, receipt }, index) => [index, pushId, receipt])
        .filter(([, pushId, receipt]) => pushId !== "" && receipt !== ""),
    );
  });

  it.each(vectors.invalidBatches)("$name is refused", (body) => {
    expect(() => scanBatch(bytesOf(body), limits)).toThrow();
  });
});
