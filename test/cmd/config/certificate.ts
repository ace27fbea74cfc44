import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface TestIdentity {
  /** The certificate, PEM. */
  readonly cert: string;
  /** The private key, PEM. */
  readonly key: string;
}

/** Creates a self-signed certificate for localhost (RFC 5280), valid from 2020 to 2049, and its key. */
export function createIdentity(): TestIdentity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = certificateBody(publicKey);
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, sequence(ecdsaWithSha256), tlv(0x03, Buffer.from([0]), signature));
  const lines = der.toString("base64").match(/.{1,64}/g)!;
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function certificateBody(publicKey: KeyObject): Buffer {
  const name = sequence(tlv(0x31, sequence(commonName, tlv(0x0c, Buffer.from("localhost")))));
  const validity = sequence(utcTime("200101000000Z"), utcTime("491231235959Z"));
  const altName = tlv(
    0x04,
    sequence(tlv(0x82, Buffer.from("localhost")), tlv(0x87, Buffer.from([127, 0, 0, 1]))),
  );
  return sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    sequence(ecdsaWithSha256),
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(sequence(subjectAltName, altName))),
  );
}

const ecdsaWithSha256 = Buffer.from("06082a8648ce3d040302", "hex");
const commonName = Buffer.from("0603550403", "hex");
const subjectAltName = Buffer.from("0603551d11", "hex");

function utcTime(text: string): Buffer {
  return tlv(0x17, Buffer.from(text));
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x30, ...parts);
}

function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const length = value.length < 128 ? [value.length] : [0x82, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}
