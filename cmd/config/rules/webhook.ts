import { accessSync, constants } from "node:fs";
import { createOutbound, type Outbound, OutboundRefusedError } from "../../../base/net/outbound.ts";
import { knownNames, listKnown } from "../../../base/text/known-names.ts";
import { describeReason } from "../../../base/text/system-error.ts";
import { compileRouter, RoutingError } from "../../../services/webhook/delivery/routing.ts";
import { compilePushIdRule } from "../../../services/webhook/receive/push-ids.ts";
import type { TargetConfig } from "../../../services/webhook/targets/config.ts";
import type { ConfigPath } from "../problem.ts";
import { type Config, receiveMethod } from "../resolve.ts";
import type { Settings } from "../schema/schema.ts";
import { checkPemFiles, type Finding } from "../tls-files.ts";

/** Checks the section `webhook`: names, routing, push-id rules, files and addresses. */
export function checkWebhook(settings: Settings, config: Config): Finding[] {
  const { channels, targets, outbound, clicks } = settings.webhook;
  const allowed = createOutbound(outbound);
  const { forward } = clicks;
  return [
    ...Object.keys(channels).flatMap((name) => checkChannel(name, settings, config, allowed)),
    ...Object.entries(targets).flatMap(([name, target]) => [
      ...checkAddresses(["webhook", "targets", name], target, allowed),
      ...checkTargetFiles(name, settings, config),
    ]),
    ...(forward === undefined ? [] : checkUrl(["webhook", "clicks", "forward", "url"], forward.url, allowed)),
    ...checkInbox(settings, config).map((fault) => ({ ...fault, needs: ["webhook", "inbox"] })),
  ].map((fault) => ({ needs: ["webhook", "outbound"], ...fault }));
}

function checkChannel(name: string, settings: Settings, config: Config, outbound: Outbound): Finding[] {
  const path = ["webhook", "channels", name];
  const { pushId, maxBytes } = settings.webhook.channels[name]!;
  const limit = settings.limits.methods[receiveMethod];
  const findings = checkTargets(name, settings);
  if (limit !== undefined && maxBytes > limit) {
    const message = `is more than limits.methods lets through for ${receiveMethod}, ${limit}`;
    findings.push({ path: [...path, "maxBytes"], message });
  }
  if (pushId.pattern !== undefined) {
    findings.push(
      ...faultOf([...path, "pushId", "pattern"], () =>
        compilePushIdRule({ pattern: pushId.pattern, listMeans: "usable" }, undefined),
      ),
    );
  }
  const { list } = config.webhook.channels[name]!.pushId;
  if (list !== undefined) findings.push(...checkReadable([...path, "pushId", "list"], list, pushId.list!));
  if (pushId.check !== undefined) {
    findings.push(...checkUrl([...path, "pushId", "check", "url"], pushId.check.url, outbound));
  }
  return findings;
}

const noTargets = "webhook.targets is empty";

function checkTargets(channel: string, { webhook: { channels, targets } }: Settings): Finding[] {
  const { targets: names, mode, sync } = channels[channel]!;
  const path = ["webhook", "channels", channel, "targets"];
  const known = Object.keys(targets);
  const unknown = names.flatMap((name, i): Finding[] => {
    if (known.includes(name)) return [];
    const message = `there is no target ${JSON.stringify(name)}, ${knownNames(name, known, { none: noTargets })}`;
    return [{ path: [...path, i], message, needs: ["webhook", "targets"], named: name }];
  });
  if (unknown.length > 0) return unknown;
  const pulled = names.findIndex((name) => targets[name]!.kind === "pull");
  if (mode === "sync" && sync.late === "fail" && pulled >= 0) {
    const message = "is of kind pull, which never answers in time: choose mode queue, or sync.late queue";
    return [{ path: [...path, pulled], message, needs: ["webhook", "targets"] }];
  }
  return faultOf(path, () => compileRouter(channel, names, new Map(Object.entries(targets)))).map(
    (fault) => ({
      ...fault,
      needs: ["webhook", "targets"],
    }),
  );
}

function faultOf(path: ConfigPath, compile: () => unknown): Finding[] {
  try {
    compile();
    return [];
  } catch (error) {
    const isExpected = error instanceof RoutingError || error instanceof OutboundRefusedError;
    // The compiler of push-id rules throws plain errors.
    if (!isExpected && Object.getPrototypeOf(error) !== Error.prototype) throw error;
    return [{ path, message: (error as Error).message }];
  }
}

function checkReadable(path: ConfigPath, file: string, written: string): Finding[] {
  try {
    accessSync(file, constants.R_OK);
    return [];
  } catch (error) {
    const reason = describeReason(error);
    return [{ path, message: `cannot read the file ${JSON.stringify(written)}: ${reason}` }];
  }
}

/** Finds addresses that may not be connected to. Host names are resolved and checked only when a target is called. */
function checkAddresses(path: ConfigPath, target: TargetConfig, outbound: Outbound): Finding[] {
  switch (target.kind) {
    case "http":
    case "grpc":
      return checkUrl([...path, "url"], target.url, outbound);
    case "nats":
      return target.servers.flatMap((url, i) => checkUrl([...path, "servers", i], url, outbound));
    case "smtp":
    case "redis":
      return faultOf([...path, "host"], () => outbound.connectOptions(target.host, target.port));
    default:
      return [];
  }
}

const ports: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "nats:": 4_222, "tls:": 4_222 };

function checkUrl(path: ConfigPath, url: string, outbound: Outbound): Finding[] {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return faultOf(path, () => outbound.connectOptions(host, Number(port) || ports[protocol]!));
}

function checkTargetFiles(name: string, settings: Settings, config: Config): Finding[] {
  const [written, resolved] = [settings.webhook.targets[name]!, config.webhook.targets[name]!];
  if (!("tls" in written && "tls" in resolved)) return [];
  return checkPemFiles(["webhook", "targets", name, "tls"], written.tls ?? {}, resolved.tls ?? {});
}

function checkInbox({ webhook: { inbox } }: Settings, config: Config): Finding[] {
  const path = (name: string): ConfigPath => ["webhook", "inbox", name];
  const { driver, url } = config.webhook.inbox;
  if (driver === "postgres") {
    return [
      ...(url === undefined && inbox.driver === "postgres"
        ? [{ path: path("url"), message: "is required by driver postgres" }]
        : []),
      ...(inbox.url === undefined ? [] : checkDatabaseUrl(path("url"), inbox.url)),
      ...(inbox.file === undefined ? [] : [{ path: path("file"), message: "is for driver sqlite" }]),
    ];
  }
  return inbox.url === undefined ? [] : [{ path: path("url"), message: "is for driver postgres" }];
}

/** Checks a database URL. It is a secret, so it is not quoted. */
export function checkDatabaseUrl(path: ConfigPath, text: string): Finding[] {
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  if (/^postgres(ql)?:$/.test(protocol)) return [];
  return [{ path, message: 'must be a URL such as "postgresql://user:password@host:5432/database"' }];
}

/** Finds channels without targets and targets without channels. */
export function findUnusedTargets({ webhook: { channels, targets } }: Settings): readonly Finding[] {
  const names = Object.keys(targets);
  const used = new Set(Object.values(channels).flatMap((channel) => channel.targets));
  const valid = listKnown(names, { none: noTargets });
  const idle = Object.entries(channels).flatMap(([name, channel]): Finding[] => {
    const message = `names no target, so that messages are stored but not delivered: ${valid}`;
    return channel.targets.length > 0 ? [] : [{ path: ["webhook", "channels", name, "targets"], message }];
  });
  const unused = names.flatMap((name): Finding[] => {
    const message = "is named by no channel, so that it gets no messages";
    return used.has(name) ? [] : [{ path: ["webhook", "targets", name], message }];
  });
  return [...idle, ...unused];
}
