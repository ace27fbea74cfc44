import { isIP, isIPv4 } from "node:net";
import { setPresent } from "./tokens.ts";

type Fields = Record<string, unknown>;

/**
 * Reads the part of an access log line before its time: `address ident user`, optionally after a virtual host
 * (`www.example.com:443`) or with a list of addresses (`203.0.113.9, 10.0.0.1`). The name of a user may contain spaces.
 */
export function readClient(fields: Fields, text: string): void {
  const [first, afterFirst] = wordAt(text, 0);
  const [second, afterSecond] = wordAt(text, afterFirst);
  // Nearly all lines have no ident and no host.
  const isWithHost = second !== "-" && hasHost(first, second, text, afterSecond);
  if (isWithHost) setPair(fields, ["host", "server_port"], first);
  readUser(fields, text, readAddress(fields, text, isWithHost ? afterFirst : 0));
}

/** Reads one address, or the list of addresses that proxies forward; returns the position of ident. */
function readAddress(fields: Fields, text: string, from: number): number {
  const [address, afterAddress] = wordAt(text, from);
  setAddress(fields, withoutComma(address));
  let [word, next] = [address, afterAddress];
  // Some servers write the forwarded address and that of the proxy without a comma.
  const proxy = text[afterAddress] === "-" ? "-" : wordAt(text, afterAddress)[0];
  if (proxy !== "-" && isIP(proxy) !== 0 && isIP(address) !== 0) [word, next] = wordAt(text, afterAddress);
  while (word.endsWith(",") && next < text.length) [word, next] = wordAt(text, next);
  if (next > afterAddress) fields["forwarded_for"] = text.slice(from, next).trimEnd();
  return next;
}

/** Returns the word at an offset and the start of the next word. */
function wordAt(text: string, from: number): [word: string, next: number] {
  const end = text.indexOf(" ", from);
  return end === -1 ? [text.slice(from), text.length] : [text.slice(from, end), end + 1];
}

/**
 * Reports whether the first word is the virtual host and the second the address: the second is an address and the first
 * is not, or the first has a port, or ident and user follow the second.
 */
function hasHost(first: string, second: string, text: string, afterSecond: number): boolean {
  if (second === "" || first === "") return false;
  const isAddress = isIP(withoutBrackets(withoutComma(second))) !== 0;
  if (first.endsWith(",") || isIP(first) !== 0) return false;
  if (isAddress) return true;
  return afterSecond < text.length && (hostAndPort(first) !== undefined || isBeforeIdent(text, afterSecond));
}

/** Reports whether ident and user begin here, as `- user`. */
function isBeforeIdent(text: string, at: number): boolean {
  return text.startsWith("- ", at) && at + 2 < text.length;
}

/** Splits `www.example.com:443`, `10.0.0.1:80` or `[::1]:443`; an IPv6 address without brackets has no port. */
function hostAndPort(text: string): readonly [string, string] | undefined {
  const [, host, port] = /^(\[[^\]]*\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  return host === undefined || port === undefined ? undefined : [host, port];
}

function withoutComma(text: string): string {
  return text.endsWith(",") ? text.slice(0, -1) : text;
}

function withoutBrackets(text: string): string {
  return text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
}

function setPair(fields: Fields, [name, portName]: readonly [string, string], text: string): void {
  const pair = hostAndPort(text);
  setPresent(fields, name, withoutBrackets(pair?.[0] ?? text));
  if (pair !== undefined) fields[portName] = Number(pair[1]);
}

/** Sets the address. Only addresses are logged with a port; `name:1` is not an address. */
function setAddress(fields: Fields, text: string): void {
  const host = text.includes(":") ? (hostAndPort(text)?.[0] ?? "") : "";
  if (host.startsWith("[") || isIPv4(host)) setPair(fields, ["remote_addr", "remote_port"], text);
  else setPresent(fields, "remote_addr", withoutBrackets(text));
}

function readUser(fields: Fields, text: string, from: number): void {
  const [ident, next] = wordAt(text, from);
  setPresent(fields, "ident", ident);
  const user = text.slice(next);
  // Servers log an empty name as "".
  setPresent(fields, "remote_user", user === '""' ? "" : user);
}
