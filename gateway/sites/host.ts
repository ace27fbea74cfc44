import { isIPv4 } from "node:net";

/** The host of a URL or of a `Host` header in the form in which two of them can be compared. */
export interface Host {
  /** The name in lower case without a final dot. An IPv6 address is in brackets and in its shortest form. */
  readonly name: string;
  /** Digits; empty without a port and for the ports that browsers leave out. */
  readonly port: string;
}

/** RFC 3986, without a user name. The URL parser finds other faults, such as a number beyond 255. */
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+;=%-]+)(?::[0-9]*)?$/;

/** Reads `name`, `name:port`, `1.2.3.4:port` or `[::1]:port`; returns undefined for other texts. */
export function parseHost(text: string): Host | undefined {
  if (!authority.test(text)) return undefined;
  const url = URL.parse(`http://${text}/`);
  if (url === null) return undefined;
  return { name: url.hostname.replace(/\.$/, ""), port: url.port === "443" ? "" : url.port };
}

/** Reads an `Origin` header; returns undefined for `null` and for other schemes than HTTP. */
export function parseOrigin(text: string): Host | undefined {
  const host = /^https?:\/\/(.+)$/i.exec(text)?.[1];
  return host === undefined ? undefined : parseHost(host);
}

export function isSameHost(one: Host, other: Host): boolean {
  return one.name === other.name && one.port === other.port;
}

/** Returns whether a name is always the own machine, whatever a name server returns. */
export function isLoopbackName(name: string): boolean {
  if (name === "localhost" || name.endsWith(".localhost") || name === "[::1]") return true;
  return (isIPv4(name) && name.startsWith("127.")) || /^\[::ffff:7f[0-9a-f]{2}:/.test(name);
}

/** Returns whether an address of a socket is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}
