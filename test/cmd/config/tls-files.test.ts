import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createIdentity } from "./certificate.ts";
import { linesOf, loadText, problemsOf } from "./load.ts";

const own = createIdentity();
const other = createIdentity();
const files = { "own.crt": own.cert, "own.key": own.key, "other.key": other.key, "text.pem": "hello" };

test("a certificate and its key are accepted, as absolute paths", () => {
  const { tls } = loadText("tls: { cert: own.crt, key: own.key, ca: own.crt }", {}, files).config;
  expect(tls).toEqual({
    cert: expect.stringMatching(/^\/.+\/own\.crt$/),
    key: expect.stringMatching(/^\/.+\/own\.key$/),
    ca: expect.stringMatching(/^\/.+\/own\.crt$/),
  });
  expect(new X509Certificate(own.cert).checkHost("localhost")).toBe("localhost");
});

const faults = [
  ["cert: no.crt, key: own.key", '1:14: tls.cert: cannot read the file "no.crt" (ENOENT)'],
  ["cert: own.crt, key: other.key", "1:28: tls.key: is not the key of the certificate in tls.cert"],
  ["cert: text.pem, key: own.key", '1:14: tls.cert: the file "text.pem" holds no certificate in PEM'],
  [
    "cert: own.crt, key: text.pem",
    '1:28: tls.key: the file "text.pem" holds no private key in PEM without a password',
  ],
  [
    "cert: own.crt, key: own.crt",
    '1:28: tls.key: the file "own.crt" holds no private key in PEM without a password',
  ],
  [
    "cert: own.crt, key: own.key, ca: own.key",
    '1:41: tls.ca: the file "own.key" holds no certificate in PEM',
  ],
] as const;

test.each(faults)("{ %s }", (section, expected) => {
  expect(linesOf(problemsOf(`tls: { ${section} }`, {}, files))).toEqual([`engage.yaml:${expected}`]);
});
