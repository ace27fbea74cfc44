import { isIPv6 } from "node:net";

/**
 * Returns an IPv4 address unchanged, and the first 64 bits of an IPv6 address: one client has all addresses that begin
 * with them.
 */
export function networkOf(remote: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remote)?.[1];
  if (mapped !== undefined || !isIPv6(remote)) return mapped ?? remote;
  const [head = "", tail] = remote.split("%")[0]!.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...new Array<string>(zeros).fill("0"), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
