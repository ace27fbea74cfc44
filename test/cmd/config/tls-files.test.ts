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

const platformYaml = (ca: string): string =>
  `analysis: { platform: { baseUrl: "https://a.example", token: long-enough, tls: { ca: ${ca} } } }`;

test("the authority of the platform is a file of certificates", () => {
  const { analysis } = loadText(platformYaml("own.crt"), {}, files).config;
  expect(analysis.platform?.tls.ca).toMatch(/^\/.+\/own\.crt$/);
  const problems = ["no.crt", "own.key"].map((ca) => linesOf(problemsOf(platformYaml(ca), {}, files)));
  expect(problems).toEqual([
    ['engage.yaml:1:86: analysis.platform.tls.ca: cannot read the file "no.crt": no such file or folder'],
    ['engage.yaml:1:86: analysis.platform.tls.ca: the file "own.key" holds no certificate in PEM'],
  ]);
});

const faults = [
  ["cert: no.crt, key: own.key", '1:14: tls.cert: cannot read the file "no.crt": no such file or folder'],
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
