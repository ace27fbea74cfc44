import { isIPv4 } from "node:net";

/** The host of a URL or of a `Host` header in the form in which two of them can be compared. */
export interface Host {
  /** In lower case, without a dot at its end; IPv6 addresses in brackets and in their shortest form. */
  readonly name: string;
  /** Digits; empty where there is none, and for the ports that browsers leave out. */
  readonly port: string;
}

/** RFC 3986, without a user name. What else is wrong with it, such as a number beyond 255, the URL parser finds. */
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+;=%-]+)(?::[0-9]*)?$/;

/** Reads `name`, `name:port`, `1.2.3.4:port` or `[::1]:port`; undefined for all else. */
export function parseHost(text: string): Host | undefined {
  if (!authority.test(text)) return undefined;
  const url = URL.parse(`http://${text}/`);
  if (url === null) return undefined;
  return { name: url.hostname.replace(/\.$/, ""), port: url.port === "443" ? "" : url.port };
}

/** Reads an `Origin` header; undefined for `null` and for all that is not of HTTP. */
export function parseOrigin(text: string): Host | undefined {
  const host = /^https?:\/\/(.+)$/i.exec(text)?.[1];
  return host === undefined ? undefined : parseHost(host);
}

export function isSameHost(one: Host, other: Host): boolean {
  return one.name === other.name && one.port === other.port;
}

/** Whether a name always leads to the machine of the one who uses it, whatever a name server says. */
export function isLoopbackName(name: string): boolean {
  if (name === "localhost" || name.endsWith(".localhost") || name === "[::1]") return true;
  return (isIPv4(name) && name.startsWith("127.")) || /^\[::ffff:7f[0-9a-f]{2}:/.test(name);
}

/** Whether an address of a socket is one of loopback. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}
