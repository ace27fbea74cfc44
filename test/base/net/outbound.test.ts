import { once } from "node:events";
import http from "node:http";
import { createServer, type LookupFunction } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createOutbound,
  OutboundRefusedError,
  parsePlace,
  type ResolveAll,
} from "../../../base/net/outbound.ts";
import { isCidr } from "../../../base/net/special-networks.ts";

/** A resolver that gives these answers, one after the other, and then the last one for ever. */
function resolverOf(...answers: readonly (readonly string[])[]): ResolveAll & { calls: number } {
  const resolve = ((_host, _options, callback) => {
    const found = answers[Math.min(resolve.calls++, answers.length - 1)]!;
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  }) as ResolveAll & { calls: number };
  resolve.calls = 0;
  return resolve;
}

function lookUp(lookup: LookupFunction, host: string, all = true): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  lookup(host, { all }, (error, found) => (error === null ? resolve(found) : reject(error)));
  return promise;
}

const refused = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.1.2.3",
  "::ffff:0:127.0.0.1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::a00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2002:c0a8:101::",
  "2002:a9fe:a9fe::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%lo",
  "fec0::1",
  "ff02::1",
];

const permitted = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.255.255",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450::1",
  "64:ff9b::808:808",
  "2002:808:808::1",
  "::ffff:8.8.8.8",
];

describe("addresses", () => {
  const outbound = createOutbound({ allow: [] });

  it.each(refused)("%s is refused as such", (address) => {
    expect(() => outbound.connectOptions(address, 443)).toThrow(OutboundRefusedError);
  });

  it.each(refused)("%s is refused as the address of a name", async (address) => {
    const { lookup } = createOutbound({ allow: [], resolveAll: resolverOf([address]) }).connectOptions(
      "a.test",
      443,
    );
    await expect(lookUp(lookup, "a.test")).rejects.toThrow(OutboundRefusedError);
    await expect(lookUp(lookup, "a.test", false)).rejects.toThrow(OutboundRefusedError);
  });

  it.each(permitted)("%s is dialled", async (address) => {
    expect(outbound.connectOptions(address, 443)).toMatchObject({ host: address, port: 443 });
    const named = createOutbound({ allow: [], resolveAll: resolverOf([address]) });
    expect(await named.resolve("a.test", 443)).toBe(address);
  });

  it("embedded in IPv6 are judged as what they are", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const isRefused = (address: string): boolean => {
          try {
            outbound.connectOptions(address, 443);
            return false;
          } catch {
            return true;
          }
        };
        const v4 = `${a}.${b}.${c}.${d}`;
        const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
        const forms = [`::ffff:${v4}`, `64:ff9b::${v4}`, `2002:${high}:${low}::1`];
        expect(forms.map(isRefused)).toEqual(forms.map(() => isRefused(v4)));
      }),
    );
  });
});

describe("names", () => {
  it("are dialled only at their public addresses", async () => {
    const resolveAll = resolverOf(["10.0.0.1", "8.8.8.8", "::1"]);
    const { lookup } = createOutbound({ allow: [], resolveAll }).connectOptions("a.test", 443);
    expect(await lookUp(lookup, "a.test")).toEqual([{ address: "8.8.8.8", family: 4 }]);
  });

  it("that change their mind are checked each time", async () => {
    const resolveAll = resolverOf(["8.8.8.8"], ["127.0.0.1"]);
    const { lookup } = createOutbound({ allow: [], resolveAll }).connectOptions("a.test", 443);
    expect(await lookUp(lookup, "a.test")).toEqual([{ address: "8.8.8.8", family: 4 }]);
    await expect(lookUp(lookup, "a.test")).rejects.toThrow("a.test is at 127.0.0.1, which is not public");
  });

  it.each(["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "localhost", "127.0.0.1."])(
    "%s, another way to write loopback, is never dialled",
    async (host) => {
      await expect(createOutbound({ allow: [] }).resolve(host, 80)).rejects.toThrow();
    },
  );

  it("that can't be resolved say so", async () => {
    const resolveAll: ResolveAll = (_host, _options, callback) => callback(new Error("ENOTFOUND a.test"), []);
    await expect(createOutbound({ allow: [], resolveAll }).resolve("a.test", 80)).rejects.toThrow(
      "ENOTFOUND",
    );
  });
});

describe("the allow-list", () => {
  it.each<[string, string, number]>([
    ["127.0.0.0/8", "127.0.0.1", 80],
    ["127.0.0.1", "127.0.0.1", 80],
    ["127.0.0.1:9000", "127.0.0.1", 9000],
    ["[::1]:9000", "::1", 9000],
    ["fd00::/8", "fd00::7", 80],
    ["10.0.0.0/8", "::ffff:10.0.0.1", 80],
  ])("%s permits %s port %d", (entry, host, port) => {
    expect(createOutbound({ allow: [entry] }).connectOptions(host, port)).toMatchObject({ host, port });
  });

  it.each<[string, string, number]>([
    ["127.0.0.1:9000", "127.0.0.1", 9001],
    ["127.0.0.1:9000", "127.0.0.2", 9000],
    ["127.0.0.1/32", "127.0.0.2", 80],
    ["10.0.0.0/8", "192.168.0.1", 80],
    ["fd00::/8", "fe80::1", 80],
  ])("%s does not permit %s port %d", (entry, host, port) => {
    expect(() => createOutbound({ allow: [entry] }).connectOptions(host, port)).toThrow(OutboundRefusedError);
  });

  it("permits a name wherever it is", async () => {
    const resolveAll = resolverOf(["10.0.0.1"]);
    const outbound = createOutbound({ allow: ["CRM.internal:9000"], resolveAll });
    expect(await outbound.resolve("crm.internal", 9000)).toBe("10.0.0.1");
    await expect(outbound.resolve("crm.internal", 9001)).rejects.toThrow('add "crm.internal:9001"');
  });

  it("names the entry that is missing", () => {
    expect(() => createOutbound({ allow: [] }).connectOptions("::1", 9000)).toThrow(
      'address ::1 is not public, add "[::1]:9000" or a network to webhook.outbound.allow',
    );
  });
});

describe("entries", () => {
  it.each(["10.0.0.0/8", "10.1.2.3", "::1", "fd00::/8", "0.0.0.0/0"])("%s is a network", (text) => {
    expect(isCidr(text)).toBe(true);
  });

  it.each(["", "10.0.0.0/33", "10.0.0.0/8/8", "::/129", "a.test", "10.0.0/8", "fe80::1%lo", "10.0.0.0/-1"])(
    "%s is no network",
    (text) => {
      expect(isCidr(text)).toBe(false);
    },
  );

  it.each([
    ["a.test:80", "a.test:80"],
    ["A.Test:80", "a.test:80"],
    ["[::1]:80", "::1:80"],
    ["a.test", undefined],
    ["a.test:0", undefined],
    ["a.test:65536", undefined],
    ["::1:80", undefined],
    ["[a.test]:80", undefined],
    ["http://a.test:80", undefined],
  ])("%s as a place is %s", (text, place) => {
    expect(parsePlace(text)).toBe(place);
  });
});

it("opens no connection when a name turns to loopback between two requests", async () => {
  const sockets: unknown[] = [];
  const server = createServer((socket) => sockets.push(socket.destroy())).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const resolveAll = resolverOf(["127.0.0.1"]);
  const outbound = createOutbound({ allow: [], resolveAll });
  const request = http.request({ ...outbound.connectOptions("rebind.test", port), method: "POST" });
  const [error] = (await once(request, "error")) as [Error];
  expect(error).toBeInstanceOf(OutboundRefusedError);
  expect(resolveAll.calls).toBe(1);
  expect(sockets).toEqual([]);
  server.close();
});
