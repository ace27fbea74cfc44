import { join, relative, resolve } from "node:path";
import { crc32 } from "node:zlib";
import type { MarkSetup } from "../../../store/sql/sqlite/commit-mark.ts";
import type { Config } from "../../config/config.ts";

/** The stores that `engage store accept-loss` supports. */
export const markedStores = ["events", "inbox", "channels"] as const;
export type MarkedStore = (typeof markedStores)[number];

/** Returns the advice for continuing after a loss. */
export function acceptLoss(store: MarkedStore): string {
  return `accept the loss with "engage store accept-loss ${store}"`;
}

/**
 * Returns the file that records what a store has acknowledged. It is in the data folder, apart
 * from the store, so that a deleted store or a missing disk is noticed.
 * @param file of the store; each file has its own mark
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
