import { listNames } from "../../base/text/nearest.ts";
import type { Settings } from "./schema/schema.ts";
import type { Finding } from "./tls-files.ts";

/** Finds channels without targets and targets without channels. */
export function findUnusedTargets({ webhook: { channels, targets } }: Settings): readonly Finding[] {
  const names = Object.keys(targets);
  const used = new Set(Object.values(channels).flatMap((channel) => channel.targets));
  const valid = names.length === 0 ? "webhook.targets is empty" : `valid are ${listNames(names)}`;
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
