import type { RequestOptions } from "node:https";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { WebhookReceiver } from "../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { keyFrom } from "./config/environment.ts";
import { readSecretFile } from "./config/secrets.ts";
import { type ConfigOptions, loadConfig } from "./config.ts";
import { healthTls, healthUrl } from "./health.ts";
import { UserError } from "./user-error.ts";

/** Where a running server is asked, and with which key. */
export interface ServerOptions {
  /** Default: the address that the configuration names. */
  readonly url?: string;
  /** File with a bearer key; default: the key in `ENGAGE_KEY`, or none. */
  readonly keyFile?: string;
  /** Milliseconds for each call. */
  readonly timeout: number;
}

export type WebhookClient = Client<typeof WebhookReceiver>;

/**
 * Runs `work` with a client of a running server.
 * @throws UserError that names the server, when a call fails
 */
export async function withWebhookClient<T>(
  options: ConfigOptions,
  { url, keyFile, timeout }: ServerOptions,
  work: (client: WebhookClient) => Promise<T>,
): Promise<T> {
  const key = keyFile === undefined ? keyFrom(options.env) : readKey(keyFile);
  const { baseUrl, nodeOptions } = url === undefined ? configured(options) : given(url);
  const transport = createConnectTransport({
    ...{ baseUrl, nodeOptions, httpVersion: "1.1", defaultTimeoutMs: timeout },
    interceptors: [
      (next) => (request) => {
        if (key !== undefined) request.header.set("authorization", `Bearer ${key}`);
        return next(request);
      },
    ],
  });
  try {
    return await work(createClient(WebhookReceiver, transport));
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const hint =
      error.code === Code.Unauthenticated && key === undefined ? "; give --key-file or ENGAGE_KEY" : "";
    throw new UserError(`${baseUrl}: ${error.rawMessage}${hint}`, { cause: error });
  }
}

interface Place {
  readonly baseUrl: string;
  readonly nodeOptions: RequestOptions;
}

function configured(options: ConfigOptions): Place {
  const { config } = loadConfig(options);
  return { baseUrl: new URL(healthUrl(config)).origin, nodeOptions: healthTls(config) };
}

function given(url: string): Place {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return { baseUrl: url.replace(/\/+$/, ""), nodeOptions: {} };
  }
  throw new UserError(`--url is ${JSON.stringify(url)}, give one such as "http://127.0.0.1:8080"`);
}

function readKey(file: string): string {
  try {
    return readSecretFile(file);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    throw new UserError(`cannot read the key file ${JSON.stringify(file)} (${reason})`);
  }
}
