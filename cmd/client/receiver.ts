import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createOutbound } from "../../base/net/outbound.ts";
import { isCidr } from "../../base/net/special-networks.ts";
import { withoutTextMark } from "../../base/text/byte-order-mark.ts";
import {
  createExchange,
  maxReceiverResponseBytes,
  type OpenExchange,
} from "../../services/channel/exchange/exchange.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";

/** A secret on the command line, or in a file. */
export interface SecretOptions {
  readonly secret?: string | undefined;
  readonly secretFile?: string | undefined;
}

/** Options of the commands that call a receiver. */
export interface ReceiverOptions extends SecretOptions {
  readonly headerName: string;
  /** `Name: value` each. */
  readonly header?: readonly string[];
  /** Private networks that may be called. */
  readonly allow?: readonly string[];
  /** PEM file with the certificate authorities to trust. */
  readonly tlsCa?: string;
}

/** Receivers on this machine may always be called; other private networks must be allowed. */
const loopback = ["127.0.0.0/8", "::1"];

/** Refuses what is not the URL of a receiver. @throws UsageError */
export function requireReceiverUrl(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new UsageError(
    `the URL is ${JSON.stringify(url)}, must be a URL such as "http://127.0.0.1:8080/webhook"`,
  );
}

/** Opens a client of a receiver. @throws UserError for an invalid URL, network or file of certificates */
export function openReceiver(
  url: string,
  { allow = [], tlsCa }: Pick<ReceiverOptions, "allow" | "tlsCa">,
  maxConnections: number,
): OpenExchange {
  requireReceiverUrl(url);
  const wrong = allow.find((network) => !isCidr(network));
  if (wrong !== undefined) {
    throw new UsageError(
      `--allow is ${JSON.stringify(wrong)}, must be an address or a network such as "10.0.0.0/8"`,
    );
  }
  const outbound = createOutbound({ allow: [...loopback, ...allow], setting: "--allow" });
  const tls = tlsCa === undefined ? {} : { ca: readCertificates(tlsCa) };
  return createExchange({ url, outbound, maxConnections, maxResponseBytes: maxReceiverResponseBytes, tls });
}

/** Reads certificates. Node would accept a file without a certificate, and then trust none. */
function readCertificates(file: string): string[] {
  const text = readText(file, "certificates");
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const isRight = (pem: string): boolean => {
    try {
      return new X509Certificate(pem).raw.length > 0;
    } catch {
      return false;
    }
  };
  if (found.length > 0 && found.every(isRight)) return found;
  throw new UserError(`--tls-ca is ${JSON.stringify(file)}, which has no valid PEM certificate`);
}

function readText(file: string, what: string): string {
  try {
    return withoutTextMark(readFileSync(file, "utf8"));
  } catch (error) {
    throw cannotRead(file, error, `${what} file`);
  }
}

/** Returns the secret of an option, or the first line of its file. */
export function secretOf({ secret, secretFile }: SecretOptions): string | undefined {
  return secretFile === undefined ? secret : readText(secretFile, "secret").split(/\r?\n/, 1)[0];
}

/** @throws UserError */
export function headersOf({ header = [] }: ReceiverOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(
    header.map((line) => {
      const [, name, value] =
        /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\u0080-\u00ff]*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new UsageError(`--header is ${JSON.stringify(line)}, must be a header such as "X-Api-Key: abc"`);
    }),
  );
}
