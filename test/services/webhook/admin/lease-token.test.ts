import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeLeaseToken, encodeLeaseToken } from "../../../../services/webhook/admin/lease-token.ts";

it("says what it was made of", () => {
  const text = fc.string({ unit: "grapheme" });
  const parts = fc.record({
    token: text,
    target: text,
    attempt: fc.nat(),
    acceptedClockMs: fc.nat(),
    replay: fc.option(text),
  });
  fc.assert(
    fc.property(parts, (lease) => {
      expect(decodeLeaseToken(encodeLeaseToken(lease))).toEqual(lease);
    }),
  );
});

it("of anybody else is none", () => {
  const json = fc.json().map((text) => Buffer.from(text).toString("base64url"));
  fc.assert(
    fc.property(fc.oneof(fc.string(), json), (token) => {
      expect(decodeLeaseToken(token)).toBeUndefined();
    }),
  );
});
