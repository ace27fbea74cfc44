import type { DescService } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { nameSender } from "../../base/net/user-agent.ts";
import type { ConfigOptions } from "../config/config.ts";
import { UserError } from "../terminal/user-error.ts";
import { describeCallError } from "./call-fault.ts";
import { chooseServer, type ServerChoice } from "./choose-server.ts";
import { traceCalls } from "./trace-calls.ts";

const howToGiveKey = "use --key-file, ENGAGE_KEY or a profile";

/** How to call a running server. */
export interface ServerOptions extends ServerChoice {
  /** A query token, which is sent where there is no key. */
  readonly bearerToken?: string | undefined;
  /** Prints the server and each call. */
  readonly verbose?: boolean;
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
  server: ServerOptions,
  work: (client: Client<S>) => Promise<T>,
): Promise<T> {
  const { bearerToken, timeout, verbose } = server;
  const { baseUrl, nodeOptions, key, namedBy } = chooseServer(options, server);
  if (verbose)
    process.stderr.write(`server ${baseUrl} of ${namedBy}, ${key === undefined ? "no key" : "with a key"}\n`);
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
      ...(verbose ? [traceCalls(process.stderr)] : []),
    ],
  });
  try {
    return await work(createClient(service, transport));
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const hint = error.code === Code.Unauthenticated && key === undefined ? `; ${howToGiveKey}` : "";
    throw new UserError(`${baseUrl}: ${describeCallError(error)}${hint}`, { cause: error });
  }
}
