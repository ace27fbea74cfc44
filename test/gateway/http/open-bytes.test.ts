import { Code, type ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { Address, Connection } from "../../../gateway/http/connections.ts";
import { OpenBytes } from "../../../gateway/http/open-bytes.ts";
import { defaultLimits } from "../../../gateway/limits.ts";

const limits = {
  ...defaultLimits,
  maxMessageBytes: 10,
  openBytesPerConnection: 100,
  openBytesPerAddress: 150,
  openBytes: 200,
  requestTimeoutMs: 120_000,
  minBytesPerSecond: 10,
  stallTimeoutMs: 60_000,
};

let all: OpenBytes;
let cuts: [name: string, reason: ConnectError][];
beforeEach(() => {
  all = new OpenBytes(limits);
  cuts = [];
});

const addresses = (...names: string[]) => names.map((name) => new Address(name, name === "proxy"));
const connect = (address: Address) => new Connection(address, undefined, 0);
const holder = (name: string) => ({ cut: (reason: ConnectError) => void cuts.push([name, reason]) });
const body = (connection: Connection, name: string, bytes: number) => {
  const hold = all.openBody(connection, holder(name));
  hold.take(bytes);
  return hold;
};
const names = () => cuts.map(([name]) => name);

describe("where memory runs out the largest is ended", () => {
  test("of a connection", () => {
    const [a] = addresses("a");
    const [one, other] = [connect(a!), connect(a!)];
    body(one, "small", 10);
    body(one, "large", 60);
    body(other, "elsewhere", 80);
    body(one, "last", 31);
    expect(names()).toEqual(["large"]);
    expect([one.bytes, a!.bytes, all.bytes]).toEqual([41, 121, 121]);
  });

  test("of an address", () => {
    const [a] = addresses("a");
    for (const name of ["first", "second", "third"]) body(connect(a!), name, 50);
    body(connect(a!), "small", 1);
    expect(names()).toEqual(["first"]);
  });

  test("of the address that holds most, in any order of arrival", () => {
    const [greedy, honest] = addresses("greedy", "honest");
    for (const name of ["g1", "g2", "g3"]) body(connect(greedy!), name, 45);
    const hold = body(connect(honest!), "h1", 60);
    hold.take(10);
    expect(names()).toEqual(["g1"]);
    expect(hold.isOpen).toBe(true);
  });

  test("of the server, however many connections a proxy has", () => {
    const [proxy] = addresses("proxy");
    for (const name of ["p1", "p2"]) body(connect(proxy!), name, 90);
    expect(names()).toEqual([]);
    body(connect(proxy!), "p3", 30);
    expect(names()).toEqual(["p1"]);
  });
});

test("the error says when to try again", () => {
  const [a] = addresses("a");
  body(connect(a!), "one", 101);
  expect(cuts[0]![1]).toMatchObject({ code: Code.ResourceExhausted });
});

test("a message that is allowed has room", () => {
  all = new OpenBytes({ ...limits, methods: { "a.B/C": 1_000 } });
  const [a] = addresses("a");
  body(connect(a!), "one", 1_000);
  expect(names()).toEqual([]);
});

test("what ends gives back all that it held, once", () => {
  const [a] = addresses("a");
  const connection = connect(a!);
  const hold = body(connection, "one", 40);
  hold.settle();
  expect([connection.bytes, connection.openBodies]).toEqual([0, 1]);
  hold.take(5);
  hold.close();
  hold.close();
  hold.take(5);
  expect([connection.bytes, a!.bytes, all.bytes, connection.openBodies]).toEqual([0, 0, 0, 0]);
});

describe("what takes too long is ended", () => {
  const swept = (afterMs: number) => {
    all.sweep(performance.now() + afterMs);
    return cuts.map(([name, { code }]) => [name, code]);
  };

  test.each([
    ["a body without a byte in 29 s", 0, 29_000, []],
    ["a body without a byte in 31 s", 0, 31_000, [["one", Code.DeadlineExceeded]]],
    ["a body at its least rate", 100, 39_000, []],
    ["a body below its least rate", 100, 41_000, [["one", Code.DeadlineExceeded]]],
  ])("%s", (_name, bytes, afterMs, expected) => {
    const [a] = addresses("a");
    body(connect(a!), "one", bytes);
    expect(swept(afterMs)).toEqual(expected);
  });

  test("a body that is not complete in the time of a request", () => {
    all = new OpenBytes({ ...limits, minBytesPerSecond: 1, openBytesPerConnection: 10_000 });
    const [a] = addresses("a");
    body(connect(a!), "one", 5_000);
    expect(swept(119_000)).toEqual([]);
    expect(swept(121_000)).toEqual([["one", Code.DeadlineExceeded]]);
  });

  test("not a stream between its messages, nor a body that is inflated", () => {
    const [a] = addresses("a");
    body(connect(a!), "stream", 1).settle();
    const inflating = body(connect(a!), "inflating", 1);
    inflating.complete();
    inflating.take(10);
    expect(swept(1e9)).toEqual([]);
  });

  test("an answer that is not read, and later a larger one", () => {
    const [a] = addresses("a");
    const connection = connect(a!);
    all.openResponse(connection, holder("small"), 10);
    all.openResponse(connection, holder("large"), 80);
    expect(swept(62_000)).toEqual([["small", Code.DeadlineExceeded]]);
    expect(swept(69_000).length).toBe(2);
  });
});
