import { readFileSync } from "node:fs";
import { createOutbound } from "../services/webhook/targets/outbound.ts";
import { isCidr } from "../services/webhook/targets/special-networks.ts";
import { createExchange, maxChannelAnswerBytes, type OpenExchange } from "./exchange.ts";
import { UserError } from "./user-error.ts";

/** Options of the commands that call a receiver. */
export interface ReceiverOptions {
  readonly secret?: string;
  readonly secretFile?: string;
  readonly headerName: string;
  /** `Name: value` each. */
  readonly header?: readonly string[];
  /** Networks that may be dialled although they are private. */
  readonly allow?: readonly string[];
}

/** The tools are for receivers that run beside them; what else is private has to be named. */
const loopback = ["127.0.0.0/8", "::1"];

/** @throws UserError for what is no URL of HTTP, or no network */
export function openReceiver(
  url: string,
  { allow = [] }: Pick<ReceiverOptions, "allow">,
  maxConnections: number,
): OpenExchange {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UserError(
      `the URL is ${JSON.stringify(url)}, give one such as "http://127.0.0.1:8080/webhook"`,
    );
  }
  const wrong = allow.find((network) => !isCidr(network));
  if (wrong !== undefined) {
    throw new UserError(
      `--allow is ${JSON.stringify(wrong)}, give a network such as "10.0.0.0/8", or an address`,
    );
  }
  const outbound = createOutbound({ allow: [...loopback, ...allow], setting: "--allow" });
  return createExchange({ url, outbound, maxConnections, maxAnswerBytes: maxChannelAnswerBytes });
}

/** The secret as given, or the first line of its file. */
export function secretOf({ secret, secretFile }: ReceiverOptions): string | undefined {
  if (secretFile === undefined) return secret;
  try {
    return readFileSync(secretFile, "utf8").split(/\r?\n/, 1)[0];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`cannot read the secret file ${JSON.stringify(secretFile)} (${code})`);
  }
}

/** @throws UserError */
export function headersOf({ header = [] }: ReceiverOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(
    header.map((line) => {
      const [, name, value] =
        /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\u0080-\u00ff]*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new UserError(`--header is ${JSON.stringify(line)}, give one such as "X-Api-Key: abc"`);
    }),
  );
}
