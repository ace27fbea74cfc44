import type { Config } from "../../config/config.ts";

/** Tells the paths of webhook channels that take messages without a signature. */
export function createIsUnsigned({ webhook }: Config): (path: string) => boolean {
  const unsigned = new Set(
    Object.entries(webhook.channels).flatMap(([name, { auth }]) =>
      auth === "off" ? [`/webhook/${name}`] : [],
    ),
  );
  return (path) => unsigned.size > 0 && unsigned.has(decode(path));
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
