import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ConfigPath } from "./problem.ts";
import type { Config } from "./resolve.ts";
import type { Settings } from "./schema.ts";

interface Finding {
  readonly path: ConfigPath;
  readonly message: string;
}

/** What is wrong with the files of the tls section: unreadable, no PEM, or not a pair. */
export function checkTlsFiles(settings: Settings, config: Config): Finding[] {
  if (config.tls === undefined || settings.tls === undefined) return [];
  const findings: Finding[] = [];
  const written = settings.tls;
  const read = <T>(name: "cert" | "key" | "ca", what: string, decode: (pem: Buffer) => T): T | undefined => {
    const file = config.tls?.[name];
    if (file === undefined) return undefined;
    const fail = (message: string): void => void findings.push({ path: ["tls", name], message });
    const pem = readOrReason(file);
    if (typeof pem === "string") {
      fail(`cannot read the file ${JSON.stringify(written[name])} (${pem})`);
      return undefined;
    }
    try {
      return decode(pem);
    } catch {
      fail(`the file ${JSON.stringify(written[name])} holds no ${what}`);
      return undefined;
    }
  };
  const cert = read("cert", "certificate in PEM", decodeCertificate);
  const key = read("key", "private key in PEM without a password", (pem): KeyObject => createPrivateKey(pem));
  read("ca", "certificate in PEM", decodeCertificate);
  if (cert !== undefined && key !== undefined && !cert.checkPrivateKey(key)) {
    findings.push({ path: ["tls", "key"], message: "is not the key of the certificate in tls.cert" });
  }
  return findings;
}

function decodeCertificate(pem: Buffer): X509Certificate {
  return new X509Certificate(pem);
}

function readOrReason(file: string): Buffer | string {
  try {
    return readFileSync(file);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}
