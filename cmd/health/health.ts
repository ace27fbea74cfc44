import { readFileSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { Writable } from "node:stream";
import { wordConnectionFault } from "../call-fault.ts";
import { checkUrl } from "../client/http-url.ts";
import { type Config, type ConfigOptions, loadConfig } from "../config/config.ts";
import { writeForeign } from "../terminal/terminal.ts";

export interface Health {
  readonly ok: boolean;
  /** What the service answered, or why it did not. */
  readonly detail: string;
}

/** Where a service with this configuration is asked from its own machine. */
export function healthUrl({ listen, tls }: Config): string {
  const wildcards: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const host = wildcards[listen.host] ?? listen.host;
  const authority = host.includes(":") ? `[${host}]` : host;
  return `${tls === undefined ? "http" : "https"}://${authority}:${listen.port}/readyz`;
}

/** How to ask a service over TLS: with its own certificate, which is what this machine has. */
export function healthTls({ tls }: Config): RequestOptions {
  if (tls === undefined) return {};
  const identity = tls.ca === undefined ? {} : { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
  // The certificate names the public host, not the loopback address that is asked.
  return { ...identity, rejectUnauthorized: false };
}

/** Asks once. Never throws: a service that cannot be reached is not healthy. */
export function checkHealth(url: string, timeoutMs: number, tls: RequestOptions = {}): Promise<Health> {
  const { promise, resolve } = Promise.withResolvers<Health>();
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  const call = send(url, { ...tls, agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
    response.resume();
    const status = response.statusCode ?? 0;
    resolve({ ok: status >= 200 && status < 300, detail: `${url} answered ${status}` });
  });
  call.on("error", (error) => {
    const isLate = error.name === "AbortError" || error.name === "TimeoutError";
    const reason = isLate ? `no answer within ${timeoutMs} ms` : wordConnectionFault(error);
    resolve({ ok: false, detail: `${url}: ${reason}` });
  });
  call.end();
  return promise;
}

/** Prints the answer; resolves with the exit code. */
export async function runHealth(
  options: ConfigOptions,
  { url, timeout }: { readonly url?: string; readonly timeout: number },
  { stdout, stderr }: { readonly stdout: Writable; readonly stderr: Writable },
): Promise<number> {
  if (url !== undefined) checkUrl(url);
  const { ok, detail } = await (url === undefined
    ? checkConfigured(loadConfig(options).config, timeout)
    : checkHealth(url, timeout));
  writeForeign(ok ? stdout : stderr, `${detail}\n`);
  return ok ? 0 : 1;
}

function checkConfigured(config: Config, timeoutMs: number): Promise<Health> {
  return checkHealth(healthUrl(config), timeoutMs, healthTls(config));
}
