import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { Connections, connectionOf, networkOf } from "../../../gateway/http/connections.ts";
import { defaultLimits } from "../../../gateway/limits.ts";

class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;
  readonly remotePort: number;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

let ports = 1;

function open(limits: object) {
  const connections = new Connections({ ...defaultLimits, ...limits });
  const dial = (address: string, state: object = {}) => {
    const socket = new FakeSocket(address, ports++) as unknown as Socket;
    const connection = connections.add(socket, 2_000);
    return Object.assign(socket, {
      connection: connection && Object.assign(connection, { sinceMs: 0, ...state }),
    });
  };
  return { connections, dial };
}

const fresh = {};
const young = { sinceMs: 1_900 };
const used = { hasAsked: true, hasAnswered: true };
const busy = { ...used, calls: 1 };
const sending = { hasAsked: true, calls: 1, openBodies: 1 };

test.each([
  ["the oldest that never had an answer", [used, young, fresh, fresh, sending], 2],
  ["else the oldest that is idle", [busy, young, used, used, sending], 2],
  ["else the oldest that is new", [busy, sending, young, young], 2],
  ["else the oldest that is still sending its first body", [busy, sending, sending], 1],
])("a full address closes %s", (_name, states, closed) => {
  const { connections, dial } = open({ maxConnectionsPerAddress: states.length });
  const sockets = states.map((state) => dial("10.0.0.1", state));
  expect(dial("10.0.0.1").destroyed).toBe(false);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual(states.map((_, i) => i === closed));
  expect(connections.count).toBe(states.length);
});

test("nothing is closed where all are busy: the new one is", () => {
  const { connections, dial } = open({ maxConnectionsPerAddress: 2 });
  const sockets = [dial("10.0.0.1", busy), dial("10.0.0.1", busy)];
  expect(dial("10.0.0.1").destroyed).toBe(true);
  expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
  expect(dial("10.0.0.2").destroyed).toBe(false);
  expect(connections.count).toBe(3);
});

test("a full server closes connections of the address that has most", () => {
  const { dial } = open({ maxConnections: 4 });
  const honest = dial("10.0.0.1");
  const greedy = ["2", "2", "2"].map((last) => dial(`10.0.0.${last}`));
  expect(dial("10.0.0.3").destroyed).toBe(false);
  expect([honest, ...greedy].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
});

test("proxies have no limit per address", () => {
  const { dial } = open({ maxConnectionsPerAddress: 1, trustedProxies: ["10.0.0.0/8", "fd00::1"] });
  const sockets = ["10.1.2.3", "10.1.2.3", "::ffff:10.1.2.3", "fd00::1", "fd00::1"].map((address) =>
    dial(address),
  );
  expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
});

test("connections on which no request comes are closed", () => {
  const { connections, dial } = open({ unusedTimeoutMs: 1_000 });
  const [unused, other] = [dial("10.0.0.1"), dial("10.0.0.1", { hasAsked: true })];
  connections.sweep(999);
  expect(unused!.destroyed).toBe(false);
  connections.sweep(1_001);
  expect([unused!.destroyed, other!.destroyed]).toEqual([true, false]);
});

test("the inner side of TLS and sessions have the connection of their socket", () => {
  const { connections, dial } = open({});
  const socket = dial("10.0.0.1");
  const inner = new FakeSocket(socket.remoteAddress!, socket.remotePort!) as unknown as Socket;
  connections.alias(inner, inner);
  expect(connectionOf(inner)).toBe(socket.connection);
  expect(connectionOf(undefined).address.isShared).toBe(true);
});

describe("an address is", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
    ["2001:db8::", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", ""],
  ])("%j: %j", (remote, network) => {
    expect(networkOf(remote)).toBe(network);
  });
});
