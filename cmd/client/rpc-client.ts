import type { DescService } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { nameSender } from "../../base/net/user-agent.ts";
import type { ConfigOptions } from "../config/config.ts";
import { keyFrom } from "../config/environment.ts";
import { readSecretFile } from "../config/secret-files.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { UserError } from "../terminal/user-error.ts";
import { describeCallError } from "./call-fault.ts";
import { placeOf } from "./server-call.ts";

/** How to call a running server. */
export interface ServerOptions {
  /** Default: the configured address. */
  readonly url?: string;
  /** File with a bearer key. Default: the key in `ENGAGE_KEY`, or none. */
  readonly keyFile?: string;
  /** A query token, which is sent where there is no key. */
  readonly bearerToken?: string | undefined;
  /** Milliseconds for each call. */
  readonly timeout: number;
}

/**
 * Runs `work` with a client of a service of a running server.
 * @throws UserError that names the server, when a call fails
 */
export async function withClient<S extends DescService, T>(
  service: S,
  options: ConfigOptions,
  { url, keyFile, bearerToken, timeout }: ServerOptions,
  work: (client: Client<S>) => Promise<T>,
): Promise<T> {
  const key = keyFile === undefined ? keyFrom(options.env) : readKey(keyFile);
  const { baseUrl, nodeOptions } = placeOf(options, url);
  const transport = createConnectTransport({
    baseUrl,
    nodeOptions,
    httpVersion: "1.1",
    defaultTimeoutMs: timeout,
    interceptors: [
      nameSender,
      (next) => (request) => {
        const bearer = key ?? bearerToken;
        if (bearer !== undefined) request.header.set("authorization", `Bearer ${bearer}`);
        return next(request);
      },
    ],
  });
  try {
    return await work(createClient(service, transport));
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const hint =
      error.code === Code.Unauthenticated && key === undefined ? "; use --key-file or ENGAGE_KEY" : "";
    throw new UserError(`${baseUrl}: ${describeCallError(error)}${hint}`, { cause: error });
  }
}

/** @throws UserError */
export function readKey(file: string): string {
  try {
    return readSecretFile(file);
  } catch (error) {
    throw cannotRead(file, error, "key file");
  }
}
