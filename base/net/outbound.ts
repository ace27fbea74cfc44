import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { addCidr, hasAddress, isCidr, isSpecial } from "./special-networks.ts";

/** Resolves a name to all of its addresses, as `dns.lookup` does with `all: true`. */
export type ResolveAll = (
  host: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Decides which addresses may be connected to. */
export interface Outbound {
  /**
   * Returns options for `net.connect`, `tls.connect` and clients that pass options on to them. A name is checked at
   * connect time, on the addresses that are connected to, so changing its addresses between does not help an attacker.
   *
   * @param host a name or an address, without brackets
   * @throws OutboundRefusedError for a refused address
   */
  connectOptions(host: string, port: number): { host: string; port: number; lookup: LookupFunction };
  /** Resolves an allowed address of the host, for clients that take no lookup. */
  resolve(host: string, port: number): Promise<string>;
}

/** An error for an address that is private, loopback, link-local or otherwise special, and not in the allow-list. */
export class OutboundRefusedError extends Error {
  override readonly name = "OutboundRefusedError";

  constructor(host: string, port: number, addresses: readonly string[], setting: string) {
    const where = addresses.includes(host)
      ? `address ${host}`
      : `${host} is at ${addresses.join(", ")}, which`;
    const entry = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    super(`${where} is not public, add ${JSON.stringify(entry)} or a network to ${setting}`);
  }
}

export interface OutboundOptions {
  /**
   * Networks (`10.0.0.0/8`, an address) and places (`host:port`, `[::1]:9000`) that are allowed although not public.
   */
  readonly allow: readonly string[];
  /** The setting that holds the list, for messages; by default `webhook.outbound.allow`. */
  readonly setting?: string;
  readonly resolveAll?: ResolveAll;
}

/** Returns `host:port` with the host in lower case, or undefined if the text is not a place. */
export function parsePlace(text: string): string | undefined {
  const [, bracketed, name, port = ""] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined;
  return placeOf(host, Number(port));
}

export function createOutbound({
  allow,
  setting = "webhook.outbound.allow",
  resolveAll = dnsLookup,
}: OutboundOptions): Outbound {
  const allowed = new BlockList();
  for (const cidr of allow.filter(isCidr)) addCidr(allowed, cidr);
  const places = new Set(allow.map(parsePlace));

  const mayDial = (address: string): boolean =>
    isIP(address) !== 0 && (!isSpecial(address) || hasAddress(allowed, address));

  /** Checks every result of the resolver before a connection is made. */
  function lookupFor(place: string, port: number): LookupFunction {
    return (host, options, callback) => {
      resolveAll(host, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const usable = places.has(place) ? found : found.filter(({ address }) => mayDial(address));
        const [first] = usable;
        if (first === undefined) {
          const addresses = found.map(({ address }) => address);
          return callback(new OutboundRefusedError(host, port, addresses, setting), []);
        }
        if (options.all === true) return callback(null, usable);
        callback(null, first.address, first.family);
      });
    };
  }

  function connectOptions(host: string, port: number) {
    const place = placeOf(host, port);
    if (isIP(host) !== 0 && !places.has(place) && !mayDial(host)) {
      throw new OutboundRefusedError(host, port, [host], setting);
    }
    return { host, port, lookup: lookupFor(place, port) };
  }

  return {
    connectOptions,
    async resolve(host, port) {
      const { lookup } = connectOptions(host, port);
      if (isIP(host) !== 0) return host;
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      lookup(host, {}, (error, address) => (error === null ? resolve(String(address)) : reject(error)));
      return promise;
    },
  };
}

/** Returns rules that are those of the current ones for each new connection. */
export function followOutbound(current: () => Outbound): Outbound {
  return {
    connectOptions: (host, port) => current().connectOptions(host, port),
    resolve: (host, port) => current().resolve(host, port),
  };
}

function placeOf(host: string, port: number): string {
  return `${host.toLowerCase()}:${port}`;
}

/** Returns the option for SNI, which must not contain an address. */
export function serverName(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}
