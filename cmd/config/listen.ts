import { isIP } from "node:net";

export interface ListenAddress {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** Reads `host:port` or `[ipv6]:port`; undefined when the text is neither. */
export function parseListen(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, bracketed, plain, digits] = match;
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined;
  const port = Number(digits);
  return port > 65_535 ? undefined : { host: (bracketed ?? plain)!, port };
}

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "localhost" || host === "::1" || /^(0{1,4}:){7}0{0,3}1$/.test(host);
}
