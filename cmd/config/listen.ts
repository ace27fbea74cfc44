import { isIP } from "node:net";

export interface ListenAddress {
  /** The host, without the brackets of an IPv6 address. */
  readonly host: string;
  /** The port. With 0, the system chooses one. */
  readonly port: number;
}

/** Parses `host:port` or `[ipv6]:port`; returns undefined if the text is neither. */
export function parseListen(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, bracketed, plain, digits] = match;
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined;
  const port = Number(digits);
  return port > 65_535 ? undefined : { host: (bracketed ?? plain)!, port };
}

/** Whether the host can be reached only from the same machine. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "localhost" || host === "::1" || /^(0{1,4}:){7}0{0,3}1$/.test(host);
}
