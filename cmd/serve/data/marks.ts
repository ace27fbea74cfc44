import { join, relative, resolve } from "node:path";
import { crc32 } from "node:zlib";
import type { MarkSetup } from "../../../store/sql/sqlite/commit-mark.ts";
import type { Config } from "../../config/config.ts";

/** What `engage store accept-loss` can be asked for. */
export const markedStores = ["events", "inbox", "channels"] as const;
export type MarkedStore = (typeof markedStores)[number];

/** How to go on without what a store has lost. */
export function acceptLoss(store: MarkedStore): string {
  return `go on without what is missing by "engage store accept-loss ${store}"`;
}

/**
 * The file that knows what a store has acknowledged. It lies in the data folder, apart from
 * the store: one that is deleted, or whose disk is not mounted, is missed.
 * @param file of the store; another one has another mark
 */
export function markFile(
  { data }: Pick<Config, "data">,
  store: MarkedStore | "clicks",
  file: string,
): string {
  const inside = relative(resolve(data), resolve(file));
  const place = inside.startsWith("..") ? resolve(file) : inside;
  return join(data, "marks", `${store}-${crc32(place).toString(16).padStart(8, "0")}.mark`);
}

export function markOf(config: Pick<Config, "data">, store: MarkedStore, file: string): MarkSetup {
  return { path: resolve(markFile(config, store, file)), advice: acceptLoss(store) };
}
