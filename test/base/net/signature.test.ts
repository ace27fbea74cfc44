import { createSecretKey } from "node:crypto";
import { expect, it } from "vitest";
import { signBody } from "../../../base/net/signature.ts";
import { readCase } from "../../proto/cases.ts";

const { vectors } = readCase("w012_signature_vectors.json") as {
  vectors: { secret: string; body_text: string; signature: string }[];
};

it.each(vectors.map((vector) => [vector.signature, vector] as const))("%s", (signature, vector) => {
  const body = Buffer.from(vector.body_text);
  const key = createSecretKey(Buffer.from(vector.secret));
  expect([signBody(vector.secret, body), signBody(key, body)]).toEqual([signature, signature]);
});

it("signs bytes, not what they mean", () => {
  const [, raw, escaped] = vectors.map(({ body_text: text }) => signBody("test-secret", Buffer.from(text)));
  expect(raw).not.toBe(escaped);
});
