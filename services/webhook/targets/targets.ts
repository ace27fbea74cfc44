import type { Outbound } from "../../../base/net/outbound.ts";
import { escapeHtml } from "../../../base/text/escape-html.ts";
import { compileHeader } from "../mapping/header-template.ts";
import { compileTemplate, compileText } from "../mapping/template.ts";
import { compileUrl } from "../mapping/url-template.ts";
import type { TargetConfig } from "./config.ts";
import { createFileTarget } from "./file.ts";
import { createGrpcTarget } from "./grpc.ts";
import { createHttpTarget } from "./http.ts";
import { createLogTarget, type LogTargetOptions } from "./log.ts";
import { createNatsTarget } from "./nats.ts";
import { createRedisTarget } from "./redis.ts";
import { createSmtpTarget } from "./smtp.ts";
import { decodeSecret } from "./standard-webhooks.ts";
import type { Target } from "./target.ts";
import { type WriteMessage, writeReceived } from "./write.ts";

export interface TargetPorts {
  readonly outbound: Outbound;
  readonly log: LogTargetOptions["log"];
  /** Reads a file of PEM texts. */
  readonly readFile: (path: string) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Targets that are called; consumers fetch the messages of `pull`. */
export type PushConfig = Exclude<TargetConfig, { readonly kind: "pull" }>;

/**
 * Creates a target. Each kind has a file that implements `Target` of `target.ts`,
 * and its settings in `config.ts`. A target connects, and loads the library of its
 * kind, at the first message.
 */
export function createTarget(config: PushConfig, ports: TargetPorts): Target {
  const { outbound, log, now } = ports;
  switch (config.kind) {
    case "http":
      return createHttpTarget({
        ...config,
        outbound,
        now,
        write: writerOf(config),
        tls: readPem(config.tls, ports),
        ...requestOf(config),
        signingKeys: config.signing.map((text) => decodeSecret(text)!),
        maxConnections: config.concurrency,
      });
    case "grpc":
      return createGrpcTarget({
        ...config,
        outbound,
        tls: readPem(config.tls, ports),
        bearer: config.bearer,
      });
    case "smtp":
      return createSmtpTarget(smtpOptions(config, ports));
    case "nats":
      return createNatsTarget({
        ...config,
        outbound,
        write: writerOf(config),
        tls: readPem(config.tls, ports),
        login: config.token === undefined ? loginOf(config) : { token: config.token },
      });
    case "redis":
      return createRedisTarget({
        ...config,
        outbound,
        write: writerOf(config),
        connectTimeoutMs: config.timeoutMs,
        username: config.user,
        password: config.password,
        maxLength: config.maxLength,
        tls: config.tls && readPem(config.tls, ports),
      });
    case "file":
      return createFileTarget({ path: config.path, write: writerOf(config) });
    case "log":
      return createLogTarget({ log, write: writerOf(config) });
  }
}

function writerOf({ body, missing }: Pick<PushConfig & { kind: "http" }, "body" | "missing">): WriteMessage {
  return body === undefined ? writeReceived : compileTemplate(body, missing);
}

function requestOf({ url, headers, per, missing }: PushConfig & { kind: "http" }) {
  const rules = { missing, isForBatch: per === "batch" };
  return {
    path: compileUrl(url, rules),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, compileHeader(name, value, rules)]),
    ),
  };
}

function smtpOptions(config: PushConfig & { kind: "smtp" }, ports: TargetPorts) {
  const { missing, text, html } = config;
  return {
    ...config,
    outbound: ports.outbound,
    tls: readPem(config.tls, ports),
    login: loginOf(config),
    to: compileText(config.to, "fail"),
    subject: compileText(config.subject, missing),
    text: text === undefined ? undefined : compileText(text, missing),
    html: html === undefined ? undefined : compileText(html, missing, escapeHtml),
    maxConnections: config.concurrency,
  };
}

function loginOf({
  user,
  password,
}: {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}): { readonly user: string; readonly pass: string } | undefined {
  return user === undefined || password === undefined ? undefined : { user, pass: password };
}

type PemFiles = (PushConfig & { kind: "http" })["tls"];

function readPem(files: PemFiles, { readFile }: TargetPorts): { ca?: string; cert?: string; key?: string } {
  const { ca, cert, key } = files;
  return {
    ...(ca !== undefined && { ca: readFile(ca) }),
    ...(cert !== undefined && { cert: readFile(cert) }),
    ...(key !== undefined && { key: readFile(key) }),
  };
}
