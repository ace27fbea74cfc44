import { type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { wordConnectionFault } from "../call-fault.ts";
import { type ConfigOptions, loadConfig } from "../config/config.ts";
import { healthTls, healthUrl } from "../health/health.ts";
import { UserError } from "../terminal/user-error.ts";
import { checkUrl } from "./http-url.ts";

/** A running server, and how to reach it. */
export interface ServerPlace {
  readonly baseUrl: string;
  readonly nodeOptions: RequestOptions;
}

/** The server that is named, else the one of the configuration. @throws UserError */
export function placeOf(options: ConfigOptions, url: string | undefined): ServerPlace {
  if (url === undefined) {
    const { config } = loadConfig(options);
    return { baseUrl: new URL(healthUrl(config)).origin, nodeOptions: healthTls(config) };
  }
  checkUrl(url);
  return { baseUrl: url.replace(/\/+$/, ""), nodeOptions: {} };
}

export interface Post {
  readonly path: string;
  /** Goes into a header, so that no log of a URL has it. */
  readonly token: string | undefined;
  readonly body: string;
}

/** Sends JSON and resolves with the answer, its body still to come. @throws UserError that names the server */
export async function post({ baseUrl, nodeOptions }: ServerPlace, request: Post): Promise<IncomingMessage> {
  const { path, token, body } = request;
  const send = baseUrl.startsWith("https:") ? requestHttps : requestHttp;
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const call = send(`${baseUrl}${path}`, { ...nodeOptions, method: "POST", headers, agent: false });
  call.on("response", resolve).on("error", reject);
  call.end(body);
  try {
    return await promise;
  } catch (error) {
    throw brokenOff(baseUrl, error);
  }
}

/** A fault of the connection, for the one who typed the command. */
export function brokenOff(baseUrl: string, error: unknown): UserError {
  return new UserError(`${baseUrl}: ${wordConnectionFault(error)}`, { cause: error });
}
