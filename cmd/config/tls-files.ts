import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { describeReason } from "../../base/text/system-error.ts";
import { type ConfigPath, formatPath } from "./problem.ts";
import type { Config } from "./resolve.ts";
import type { Settings } from "./schema/schema.ts";
import type { Dependency } from "./valid-part.ts";

/** A fault at a path. */
export interface Finding extends Dependency {
  readonly message: string;
}

type PemFiles = { readonly [name in "cert" | "key" | "ca"]?: string | undefined };

/** Checks the files of the section `tls`. */
export function checkTlsFiles(settings: Settings, config: Config): Finding[] {
  if (config.tls === undefined || settings.tls === undefined) return [];
  return checkPemFiles(["tls"], settings.tls, config.tls);
}

/**
 * Checks the PEM files of a section: whether they can be read, are PEM and belong together.
 * @param written the paths in the configuration
 * @param resolved their absolute paths
 */
export function checkPemFiles(base: ConfigPath, written: PemFiles, resolved: PemFiles): Finding[] {
  const findings: Finding[] = [];
  const read = <T>(name: "cert" | "key" | "ca", what: string, decode: (pem: Buffer) => T): T | undefined => {
    const file = resolved[name];
    if (file === undefined) return undefined;
    const fail = (message: string): void => void findings.push({ path: [...base, name], message });
    const pem = readOrReason(file);
    if (typeof pem === "string") {
      fail(`cannot read the file ${JSON.stringify(written[name])}: ${pem}`);
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
    const message = `is not the key of the certificate in ${formatPath([...base, "cert"])}`;
    findings.push({ path: [...base, "key"], message });
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
    return describeReason(error);
  }
}
