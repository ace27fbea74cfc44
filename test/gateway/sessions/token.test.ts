import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { createSessionDecoder, encodeSession } from "../../../gateway/sessions/token.ts";

const key = "engage_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const endMs = 1_000_000;
const decode = createSessionDecoder([sha256Hex("other"), sha256Hex(key)]);
const token = encodeSession({ key, endMs });

describe("the token of a session", () => {
  test("is the session, on each replica with the key", () => {
    expect(decode(token, 0)).toEqual({ key, endMs });
    expect(createSessionDecoder([sha256Hex(key)])(token, endMs - 1)).toEqual({ key, endMs });
  });

  test("holds the key in no form that can be read, and is another one each time", () => {
    const bytes = Buffer.from(token.split(".")[1]!, "base64url");
    for (const text of [key, key.slice(7, 20), sha256Hex(key), sha256Hex(key).slice(0, 8)]) {
      expect(token).not.toContain(text);
      expect(bytes.includes(text)).toBe(false);
    }
    expect(bytes.includes(Buffer.from(sha256Hex(key).slice(0, 16), "hex"))).toBe(false);
    expect(encodeSession({ key, endMs })).not.toBe(token);
  });

  test("fits into a cookie", () => {
    expect(token.length).toBeLessThan(200);
    expect(token).toMatch(/^[\w.-]+$/);
  });

  test("ends with its time and with its key", () => {
    expect(decode(token, endMs)).toBeUndefined();
    expect(createSessionDecoder([sha256Hex("other")])(token, 0)).toBeUndefined();
  });

  test("is worth nothing with any bit changed", () => {
    const bytes = Buffer.from(token.slice(3), "base64url");
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(decode(`v1.${changed.toString("base64url")}`, 0)).toBeUndefined();
      }),
    );
  });

  test("cannot be made by those who know only the digest, as from the configuration", () => {
    // They can encrypt under the key's secret, but not what has its digest.
    expect(decode(encodeSession({ key: sha256Hex(key), endMs }), 0)).toBeUndefined();
  });

  test.each(["", "v1.", "v2.abc", "v1.!!!", `v1.${"A".repeat(60)}`, `v1.${"A".repeat(5_000)}`])(
    "is not %j",
    (text) => {
      expect(decode(text, 0)).toBeUndefined();
    },
  );
});
