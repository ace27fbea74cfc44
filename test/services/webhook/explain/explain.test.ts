import { createHash, createHmac, createSecretKey } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainMismatch, type KnownSecret } from "../../../../services/webhook/explain/explain.ts";
import { createExplainer } from "../../../../services/webhook/explain/explainer.ts";

const secret = (text: string, channel = "demo", expires?: string): KnownSecret => ({
  channel,
  key: createSecretKey(Buffer.from(text)),
  expiresMs: expires === undefined ? undefined : Date.parse(expires),
});
const secrets = [
  secret("demo-key"),
  secret("old-key", "demo", "2026-01-01T00:00:00Z"),
  secret("mail-key", "mail"),
  secret("c2VjcmV0LWJ5dGVz"),
  secret("00ff17"),
];
const nowMs = Date.parse("2026-01-02T03:04:05Z");
const text = '[{"push_id":"张/3","b":1,"a":[2, 3]}]';
const value: unknown = JSON.parse(text);
const sign = (key: string | Buffer, body: string | Buffer = text, algorithm = "sha1") =>
  createHmac(algorithm, key).update(body);
const hex = (key: string | Buffer, body?: string | Buffer) => sign(key, body).digest("hex");
const explain = (given: string, body: string | Buffer = text) =>
  explainMismatch({ channel: "demo", body: Buffer.from(body as string), given: [given], nowMs }, secrets);

describe("each known cause is named", () => {
  const rewritten = "signed before the body was written again";
  const compact = JSON.stringify(value);
  const table: [given: string, cause: string][] = [
    [sign("demo-key", text, "sha256").digest("hex"), "made with SHA256 instead of SHA1"],
    [sign("demo-key", text, "md5").digest("hex"), "made with MD5 instead of SHA1"],
    [sign("demo-key").digest("base64"), "written in base64 instead of hexadecimal"],
    [
      sign("demo-key", text, "sha512").digest("base64url"),
      "written in base64 instead of hexadecimal, made with SHA512 instead of SHA1",
    ],
    [`sha1=${hex("demo-key")}`, 'the value has the prefix "sha1="'],
    [hex("demo-key\n"), "signed with the secret and a newline after it"],
    [hex("demo-key\r\n"), "signed with the secret and CR LF after it"],
    [hex("demo-key "), "signed with the secret and a space after it"],
    [hex(" demo-key"), "signed with the secret and a space before it"],
    [hex('"demo-key"'), "signed with the secret in double quotes"],
    [hex("secret-bytes"), "signed with the secret decoded from base64"],
    [hex(Buffer.from("00ff17", "hex")), "signed with the secret decoded from hexadecimal"],
    [hex(Buffer.from("demo-key", "utf16le")), "signed with the secret in UTF-16"],
    [hex("old-key"), "signed with a secret that expired at 2026-01-01T00:00:00.000Z"],
    [hex("mail-key"), 'signed with the secret of channel "mail"'],
    [createHash("sha1").update(text).digest("hex"), "the value is a hash of the body without a secret"],
    [hex("demo-key", ""), "signed an empty body"],
    [hex("demo-key", `${text}\n`), "signed with a newline after the body"],
    [hex("demo-key", `${text}\r\n`), "signed with CR LF after the body"],
    [hex("demo-key", `\ufeff${text}`), "signed with a byte order mark before the body"],
    [hex("demo-key", compact), `${rewritten} (compact JSON)`],
    [
      hex("demo-key", '[{"push_id": "张/3", "b": 1, "a": [2, 3]}]'),
      `${rewritten} (spaces after commas and colons)`,
    ],
    [
      hex("demo-key", '[{"push_id":"\\u5f20/3","b":1,"a":[2,3]}]'),
      `${rewritten} (compact JSON, non-ASCII characters escaped)`,
    ],
    [
      hex("demo-key", '[{"push_id": "\\u5f20/3", "b": 1, "a": [2, 3]}]'),
      `${rewritten} (spaces after commas and colons, non-ASCII characters escaped)`,
    ],
    [hex("demo-key", JSON.stringify(value, null, 2)), `${rewritten} (indented by 2)`],
    [hex("demo-key", JSON.stringify(value, null, 4)), `${rewritten} (indented by 4)`],
    [hex("demo-key", compact.replace("/", "\\/")), `${rewritten} (slashes escaped)`],
    [hex("demo-key", '[{"a":[2,3],"b":1,"push_id":"张/3"}]'), `${rewritten} (keys sorted)`],
    [
      sign("demo-key", compact, "sha256").digest("hex"),
      `made with SHA256 instead of SHA1, ${rewritten} (compact JSON)`,
    ],
    [hex("never-heard-of"), "another secret, or the body was changed in transit: no other known cause fits"],
    ["bad", "the value is neither hexadecimal nor base64 of a hash: it must be 40 hexadecimal digits"],
  ];
  it.each(table)("%s: %s", (given, cause) => {
    expect(explain(given)).toBe(cause);
  });

  const bodies: [body: string, signed: string, cause: string][] = [
    [`${text}\n`, text, "signed without the newline at the end of the body"],
    [`${text}\r\n`, text, "signed without the newline at the end of the body"],
    [`\ufeff${text}`, text, "signed without the byte order mark of the body"],
  ];
  it.each(bodies)("%j", (body, signed, cause) => {
    expect(explain(hex("demo-key", signed), body)).toBe(cause);
  });
});

describe("whatever is sent", () => {
  it("is explained without an exception", () => {
    const given = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.stringMatching(/^[0-9a-f]{40}$/));
    fc.assert(
      fc.property(given, fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), (signature, body) => {
        expect(explain(signature, Buffer.from(body))).toMatch(
          /^(?:another secret, or the body was changed|the value is neither)/,
        );
      }),
      { numRuns: 500 },
    );
  });

  it("is not parsed when it is nested too deeply", () => {
    expect(explain("0".repeat(40), "[".repeat(100_000) + "]".repeat(100_000))).toMatch(
      /^another secret, or the body was changed in transit: /,
    );
  });

  it("is explained by what is likely when it is large", () => {
    const large = "x".repeat(5_000_000);
    expect(explain(`sha1=${hex("demo-key", large)}`, large)).toBe('the value has the prefix "sha1="');
    expect(explain("0".repeat(40), large)).toBe(
      "another secret, or the body was changed in transit: only the likeliest other causes were tried, since the body is large",
    );
  });

  it("is named when its compressed bytes were signed", () => {
    const body = Buffer.from(text);
    const encoded = gzipSync(body);
    const mismatch = { channel: "demo", body, encoded, given: [hex("demo-key", encoded)], nowMs };
    expect(explainMismatch(mismatch, secrets)).toBe(
      "signed the compressed body: the signature must be of the body before compression",
    );
  });
});

describe("explanations by time", () => {
  it("are five in a row and one a second, for each channel", () => {
    let monotonicMs = 0;
    const explainNow = createExplainer(
      () => secrets,
      () => monotonicMs,
    );
    const ask = (channel: string, atMs: number) => {
      monotonicMs = atMs;
      return explainNow({ channel, body: Buffer.from(text), given: ["bad"], nowMs }) !== undefined;
    };
    const inRow = Array.from({ length: 7 }, () => ask("demo", 1_000));
    expect(inRow).toEqual([true, true, true, true, true, false, false]);
    expect([ask("mail", 1_000), ask("demo", 1_500), ask("demo", 2_000), ask("demo", 2_000)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("are ten in a row for all channels together", () => {
    const explainNow = createExplainer(
      () => secrets,
      () => 0,
    );
    const asked = Array.from({ length: 30 }, (_, i) =>
      explainNow({ channel: `channel ${i}`, body: Buffer.from(text), given: ["bad"], nowMs }),
    );
    expect(asked.filter((cause) => cause !== undefined)).toHaveLength(10);
  });
});
