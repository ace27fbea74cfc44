import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { describeCallError, describeConnectionFault } from "../../../cmd/client/call-fault.ts";

const fault = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });
const refused = fault("ECONNREFUSED", { address: "127.0.0.1", port: 80 });

test.each([
  ["refused", refused, "connection refused by 127.0.0.1:80: is the server running?"],
  [
    "unknown host",
    fault("ENOTFOUND", { hostname: "x" }),
    "no address is known for the host x: is the server running?",
  ],
  ["no route", fault("EHOSTUNREACH"), "the host cannot be reached: is the server running?"],
  ["no response", fault("ETIMEDOUT"), "no answer in time: is the server running?"],
  [
    "of fetch",
    new TypeError("fetch failed", { cause: refused }),
    "connection refused by 127.0.0.1:80: is the server running?",
  ],
  [
    "of two addresses",
    new AggregateError([refused, refused]),
    "connection refused by 127.0.0.1:80: is the server running?",
  ],
  ["cut", fault("ECONNRESET"), "the connection was closed before the answer was complete"],
  ["no fault of a connection", new Error("no answer to this"), "no answer to this"],
])("%s", (_name, error, words) => {
  expect(describeConnectionFault(error)).toBe(words);
});

test("a call through Connect is described by the connection's fault, or by its own message", () => {
  expect(describeCallError(new ConnectError("x", undefined, undefined, undefined, refused))).toContain(
    "is the server",
  );
  expect(describeCallError(new ConnectError("unknown project"))).toBe("unknown project");
});
