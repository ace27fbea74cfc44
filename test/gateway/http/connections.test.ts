import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type Connection, Connections, connectionOf } from "../../../gateway/http/connections.ts";
import { networkOf } from "../../../gateway/http/network.ts";
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
  const dial = (address: string, { atMs, use }: State = newest) => {
    const socket = new FakeSocket(address, ports++) as unknown as Socket;
    const connection = connections.add(socket, atMs);
    if (connection !== undefined) use(connection);
    return Object.assign(socket, { connection });
  };
  return { connections, dial };
}

/** When a connection came, and what it has done since. */
interface State {
  readonly atMs: number;
  readonly use: (connection: Connection) => void;
}

const newest: State = { atMs: 2_000, use: () => undefined };
const young: State = { ...newest, atMs: 1_900 };
const fresh: State = { ...newest, atMs: 0 };
const asking: State = { ...fresh, use: (connection) => connection.startCall() };
const used: State = {
  ...fresh,
  use(connection) {
    connection.startCall();
    connection.endCall();
  },
};
const busy: State = {
  ...fresh,
  use(connection) {
    used.use(connection);
    connection.startCall();
  },
};
const sending: State = {
  ...fresh,
  use(connection) {
    connection.startCall();
    connection.startBody();
  },
};
/** Its body is complete, and the answer is not. */
const sent: State = {
  ...fresh,
  use(connection) {
    sending.use(connection);
    connection.endBody();
  },
};

test.each([
  ["the oldest that never had an answer", [used, fresh, fresh, young, sending], 1],
  ["else the oldest that is idle", [busy, young, used, used, sending], 2],
  ["else the oldest that is new", [busy, sending, young, young], 2],
  ["else the oldest that is still sending its first body", [busy, asking, sent, sending, sending], 3],
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

test("a full server closes what an address with fewer has, where those with more are busy", () => {
  const { dial } = open({ maxConnections: 6 });
  const all = ["1", "1", "1", "2", "2"].map((last) => dial(`10.0.0.${last}`, busy));
  const idle = dial("10.0.0.3", used);
  const next = dial("10.0.0.4", busy);
  expect([idle, next, ...all].filter(({ destroyed }) => destroyed)).toEqual([idle]);
  expect(dial("10.0.0.5").destroyed).toBe(true);
  all[3]!.connection!.endCall();
  expect([dial("10.0.0.5", busy).destroyed, all[3]!.destroyed]).toEqual([false, true]);
  next.destroy();
  expect([dial("10.0.0.6", busy), dial("10.0.0.6", busy)].map(({ destroyed }) => destroyed)).toEqual([
    false,
    true,
  ]);
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
  const [unused, other] = [dial("10.0.0.1", fresh), dial("10.0.0.1", { ...used, atMs: 0 })];
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
