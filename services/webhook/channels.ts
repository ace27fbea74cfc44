import { createSecretKey } from "node:crypto";
import { errorMessage } from "../../base/text/system-error.ts";
import type { ChannelConfig } from "./config.ts";
import type { KnownSecret } from "./explain/explain.ts";
import { createElementShapes, type ElementShapes } from "./receive/element-shapes.ts";
import { compilePushIdRule, type PushIdRule } from "./receive/push-ids.ts";
import type { RequiredHeader } from "./receive/required-headers.ts";
import type { ScanLimits } from "./receive/scan.ts";

/** A compiled webhook channel. */
export interface Channel {
  readonly name: string;
  /** Undefined: the channel accepts messages without a signature. */
  readonly secrets: readonly KnownSecret[] | undefined;
  /** Names in lower case. */
  readonly signatureHeaders: readonly string[];
  readonly requiredHeaders: readonly RequiredHeader[];
  /** Undefined: queue mode. */
  readonly sync: ChannelConfig["sync"] | undefined;
  readonly targets: readonly string[];
  readonly pushIdRule: PushIdRule | undefined;
  /** Limit of a push-id check; undefined: push ids are not checked by a service. */
  readonly checkTimeoutMs: number | undefined;
  readonly maxBytes: number;
  readonly scanLimits: ScanLimits;
  /** Learned from its batches. */
  readonly elementShapes: ElementShapes;
  readonly dedupeWindowMs: number;
}

/**
 * Compiles the webhook channels of a configuration.
 * @param readList reads the file of a push-id list
 * @throws Error that names the channel, for an invalid pattern or an error of `readList`
 */
export function compileChannels(
  channels: Readonly<Record<string, ChannelConfig>>,
  readList: (file: string) => string,
): ReadonlyMap<string, Channel> {
  return new Map(
    Object.entries(channels).map(([name, config]) => [name, compileChannel(name, config, readList)]),
  );
}

function compileChannel(name: string, config: ChannelConfig, readList: (file: string) => string): Channel {
  const { auth, secrets, pushId, maxMessages, maxDepth } = config;
  return {
    name,
    secrets:
      auth === "off"
        ? undefined
        : secrets.map(({ value, expires }) => ({
            channel: name,
            key: createSecretKey(Buffer.from(value, "utf8")),
            expiresMs: expires === undefined ? undefined : Date.parse(expires),
          })),
    signatureHeaders: config.signatureHeaders.map((header) => header.toLowerCase()),
    requiredHeaders: Object.entries(config.headers).map(([header, value]) => ({
      name: header,
      value: Buffer.from(value, "utf8"),
    })),
    sync: config.mode === "sync" ? config.sync : undefined,
    targets: config.targets,
    pushIdRule: ruleOf(name, pushId, readList),
    checkTimeoutMs: pushId.check?.timeoutMs,
    maxBytes: config.maxBytes,
    scanLimits: { maxElements: maxMessages, maxDepth },
    elementShapes: createElementShapes(),
    dedupeWindowMs: config.dedupeWindowMs,
  };
}

function ruleOf(
  channel: string,
  config: ChannelConfig["pushId"],
  readList: (file: string) => string,
): PushIdRule | undefined {
  try {
    return compilePushIdRule(config, config.list === undefined ? undefined : readList(config.list));
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`webhook.channels.${channel}.pushId: ${reason}`, { cause: error });
  }
}
