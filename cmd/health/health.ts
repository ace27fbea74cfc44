import { request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { Writable } from "node:stream";
import { describeConnectionFault } from "../client/call-fault.ts";
import { checkUrl, healthTls, healthUrl } from "../client/server-call.ts";
import { type Config, type ConfigOptions, loadConfig } from "../config/config.ts";
import { writeForeign } from "../terminal/terminal.ts";

export interface Health {
  readonly ok: boolean;
  /** The response, or the reason why the server gave none. */
  readonly detail: string;
}

/** Calls the health URL once. Never rejects: a server that cannot be reached is not healthy. */
export function checkHealth(url: string, timeoutMs: number, tls: RequestOptions = {}): Promise<Health> {
  const { promise, resolve } = Promise.withResolvers<Health>();
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  const call = send(url, { ...tls, agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
    response.resume();
    const status = response.statusCode ?? 0;
    resolve({ ok: status >= 200 && status < 300, detail: `${url} responded with ${status}` });
  });
  call.on("error", (error) => {
    const isLate = error.name === "AbortError" || error.name === "TimeoutError";
    const reason = isLate ? `no response within ${timeoutMs} ms` : describeConnectionFault(error);
    resolve({ ok: false, detail: `${url}: ${reason}` });
  });
  call.end();
  return promise;
}

/** Prints the result and resolves with the exit code. */
export async function runHealth(
  options: ConfigOptions,
  { url, timeout, json }: { readonly url?: string; readonly timeout: number; readonly json?: boolean },
  { stdout, stderr }: { readonly stdout: Writable; readonly stderr: Writable },
): Promise<number> {
  if (url !== undefined) checkUrl(url);
  const { ok, detail } = await (url === undefined
    ? checkConfigured(loadConfig(options).config, timeout)
    : checkHealth(url, timeout));
  if (json) writeForeign(stdout, `${JSON.stringify({ ok, detail })}\n`);
  else writeForeign(ok ? stdout : stderr, `${detail}\n`);
  return ok ? 0 : 1;
}

function checkConfigured(config: Config, timeoutMs: number): Promise<Health> {
  return checkHealth(healthUrl(config), timeoutMs, healthTls(config));
}
