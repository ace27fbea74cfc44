import { BlockList, isIP } from "node:net";

/** Networks that are not the public internet (IANA's registries of special-purpose addresses). */
const special4 = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, with the metadata services of clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

const special6 = [
  "::/96", // unspecified, loopback, IPv4-compatible
  "::ffff:0:0:0/96", // IPv4-translated
  "64:ff9b:1::/48", // NAT64 of a local network
  "100::/64", // discard
  "2001::/23", // protocol assignments, Teredo, ORCHID
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
  "5f00::/16", // segment routing
  "fc00::/7", // unique local
  "fe80::/10", // link-local
  "fec0::/10", // site-local
  "ff00::/8", // multicast
];

let special: BlockList | undefined;

/** Reports whether the address is in a special network. The first call makes their list. */
export function isSpecial(address: string): boolean {
  special ??= createSpecialNetworks();
  return hasAddress(special, address);
}

/**
 * Returns the special networks, with the IPv6 addresses that embed a special IPv4 address: mapped (`::ffff:`, which
 * BlockList handles itself), NAT64 (`64:ff9b::/96`) and 6to4 (`2002::/16`).
 */
function createSpecialNetworks(): BlockList {
  const list = new BlockList();
  for (const cidr of special4) {
    const [net = "", length = ""] = cidr.split("/");
    list.addSubnet(net, Number(length), "ipv4");
    list.addSubnet(`64:ff9b::${net}`, 96 + Number(length), "ipv6");
    const [a = 0, b = 0, c = 0, d = 0] = net.split(".").map(Number);
    const groups = [a * 256 + b, c * 256 + d].map((group) => group.toString(16));
    list.addSubnet(`2002:${groups.join(":")}::`, 16 + Number(length), "ipv6");
  }
  for (const cidr of special6) addCidr(list, cidr);
  return list;
}

/** Reports whether the text is an address or a network such as `10.0.0.0/8`. */
export function isCidr(text: string): boolean {
  const [net = "", length, ...rest] = text.split("/");
  const family = net.includes("%") ? 0 : isIP(net);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/** Adds a network. @param cidr must satisfy `isCidr` */
export function addCidr(list: BlockList, cidr: string): void {
  const [net = "", length] = cidr.split("/");
  const isV4 = isIP(net) === 4;
  list.addSubnet(net, Number(length ?? (isV4 ? 32 : 128)), isV4 ? "ipv4" : "ipv6");
}

/** Reports whether the list contains the address; a zone (`%eth0`) is ignored. */
export function hasAddress(list: BlockList, address: string): boolean {
  const [plain = ""] = address.split("%");
  return list.check(plain, isIP(plain) === 4 ? "ipv4" : "ipv6");
}
