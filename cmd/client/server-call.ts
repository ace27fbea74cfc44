import { readFileSync } from "node:fs";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { type Config, type ConfigOptions, loadConfig } from "../config/config.ts";
import { isServerUrl } from "../config/profiles.ts";
import { UserError } from "../terminal/user-error.ts";
import { describeConnectionFault } from "./call-fault.ts";

/** How to reach a running server. */
export interface ServerPlace {
  readonly baseUrl: string;
  readonly nodeOptions: RequestOptions;
}

/** Returns the server at a URL, or the configured one without a URL. @throws UserError */
export function placeOf(options: ConfigOptions, url: string | undefined): ServerPlace {
  if (url === undefined) {
    const { config } = loadConfig(options);
    return { baseUrl: new URL(healthUrl(config)).origin, nodeOptions: healthTls(config) };
  }
  checkUrl(url);
  return { baseUrl: url.replace(/\/+$/, ""), nodeOptions: {} };
}

/** Returns the URL at which this machine can check whether the configured server is ready. */
export function healthUrl({ listen, tls }: Config): string {
  const wildcards: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const host = wildcards[listen.host] ?? listen.host;
  const authority = host.includes(":") ? `[${host}]` : host;
  return `${tls === undefined ? "http" : "https"}://${authority}:${listen.port}/readyz`;
}

/** Returns the TLS options for the configured server, with its own certificate as the client certificate. */
export function healthTls({ tls }: Config): RequestOptions {
  if (tls === undefined) return {};
  const identity = tls.ca === undefined ? {} : { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
  // The certificate names the public host, not the loopback address that is called.
  return { ...identity, rejectUnauthorized: false };
}

/** Returns the first token of the configuration, for the configured server. */
export function configuredToken(options: ConfigOptions): string | undefined {
  return loadConfig(options).config.analysis.tokens.find(({ token }) => token !== undefined)?.token;
}

export interface Post {
  readonly path: string;
  /** Sent in a header, so that it is in no log of URLs. */
  readonly token: string | undefined;
  readonly body: string;
}

/** Sends JSON and resolves with the response before its body is read. @throws UserError that names the server */
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
    throw connectionError(baseUrl, error);
  }
}

/** Returns the error for a failed connection. */
export function connectionError(baseUrl: string, error: unknown): UserError {
  return new UserError(`${baseUrl}: ${describeConnectionFault(error)}`, { cause: error });
}

/** Checks the value of `--url`. @throws UserError when it is not an HTTP URL */
export function checkUrl(url: string): void {
  if (isServerUrl(url)) return;
  const shown = JSON.stringify(url.replace(/\/\/[^/]*@/, "//…@"));
  throw new UserError(`--url is ${shown}, must be a URL such as "http://127.0.0.1:8080", without a user`);
}
