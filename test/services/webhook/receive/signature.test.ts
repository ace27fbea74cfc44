import { createHmac, createSecretKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Secret, verifySignature } from "../../../../services/webhook/receive/signature.ts";
import { readCase } from "../../../proto/cases.ts";
import { casesOf } from "../../../thorough.ts";

const body = Buffer.from('[{"push_id":"user-1","#ops_receipt_properties":{}}]');
const good = "99d6b30f0eefd989ce32d8296f9f54c2a701d25d";
const nowMs = Date.parse("2026-01-02T03:04:05Z");
const secret = (text: string, expires?: string): Secret => ({
  key: createSecretKey(Buffer.from(text)),
  expiresMs: expires === undefined ? undefined : Date.parse(expires),
});
const ours = secret("test-secret");
const kindOf = (given: readonly string[], secrets: readonly Secret[] = [ours], at = nowMs) =>
  verifySignature(body, given, secrets, at).kind;

describe("published vectors", () => {
  const { vectors } = readCase("w012_signature_vectors.json") as {
    vectors: { secret: string; body_text: string; signature: string }[];
  };
  it.each(vectors.map((vector) => [vector.signature, vector] as const))("%s", (signature, vector) => {
    const bytes = Buffer.from(vector.body_text);
    expect(verifySignature(bytes, [signature], [secret(vector.secret)], nowMs)).toEqual({
      kind: "match",
      value: signature,
    });
  });
});

describe("how a value may be written", () => {
  const table: [given: string[], kind: string][] = [
    [[good], "match"],
    [[good.toUpperCase()], "match"],
    [[`  ${good}\t`], "match"],
    [["bad", good], "match"],
    [[good, "0".repeat(40)], "match"],
    [[], "missing"],
    [[""], "mismatch"],
    [["bad"], "mismatch"],
    [[good.slice(1)], "mismatch"],
    [[`${good}0`], "mismatch"],
    [[`sha1=${good}`], "mismatch"],
    [[`${good}, ${good}`], "mismatch"],
    [[good.replace("9", "g")], "mismatch"],
    [[Buffer.from(good, "hex").toString("base64")], "mismatch"],
    [[...Array(8).fill("bad"), good], "mismatch"],
  ];
  it.each(table)("%j", (given, kind) => {
    expect(kindOf(given)).toBe(kind);
  });
});

describe("several secrets", () => {
  const table: [name: string, secrets: Secret[], kind: string][] = [
    ["the second", [secret("other"), ours], "match"],
    ["one that will expire", [secret("test-secret", "2026-01-02T03:04:06Z")], "match"],
    ["one that expires now", [secret("test-secret", "2026-01-02T03:04:05Z")], "mismatch"],
    ["one that has expired", [secret("test-secret", "2026-01-01T00:00:00Z"), secret("new")], "mismatch"],
    ["none of them", [secret("other"), secret("test-secret ")], "mismatch"],
    ["none at all", [], "mismatch"],
  ];
  it.each(table)("%s", (_name, secrets, kind) => {
    expect(kindOf([good], secrets)).toBe(kind);
  });
});

describe("mutations", () => {
  it("of the value never match", () => {
    const digit = fc.constantFrom(..."0123456789abcdefABCDEFg =\u0000é");
    const mutation = fc.oneof(
      fc.tuple(fc.nat(39), digit).map(([at, char]) => good.slice(0, at) + char + good.slice(at + 1)),
      fc.tuple(fc.nat(40), digit).map(([at, char]) => good.slice(0, at) + char + good.slice(at)),
      fc.nat(39).map((at) => good.slice(0, at) + good.slice(at + 1)),
      fc
        .tuple(fc.nat(38), fc.constant(0))
        .map(([at]) => good.slice(0, at) + good[at + 1] + good[at] + good.slice(at + 2)),
      fc.string(),
      fc.string({ unit: digit, minLength: 40, maxLength: 40 }),
    );
    const changed = mutation.filter((text) => text.trim().toLowerCase() !== good);
    fc.assert(
      fc.property(changed, (text) => {
        expect(kindOf([text])).toBe("mismatch");
      }),
      { numRuns: casesOf(4_000) },
    );
  });

  it("of the body never match", () => {
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(body);
        changed[at]! ^= flip;
        expect(verifySignature(changed, [good], [ours], nowMs).kind).toBe("mismatch");
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it("none: any body matches its own signature", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ minLength: 1, unit: "grapheme" }), (bytes, text) => {
        const signature = createHmac("sha1", Buffer.from(text)).update(bytes).digest("hex");
        expect(verifySignature(bytes, [signature], [secret(text)], nowMs).kind).toBe("match");
      }),
    );
  });
});
