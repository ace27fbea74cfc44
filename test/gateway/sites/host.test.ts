import { describe, expect, it } from "vitest";
import { isLoopbackAddress, isLoopbackName, parseHost, parseOrigin } from "../../../gateway/sites/host.ts";

describe("parseHost", () => {
  it.each([
    ["localhost", "localhost", ""],
    ["LocalHost:8080", "localhost", "8080"],
    ["localhost.:8080", "localhost", "8080"],
    ["a.b.example", "a.b.example", ""],
    ["a.b.example:80", "a.b.example", ""],
    ["a.b.example:443", "a.b.example", ""],
    ["a.b.example:", "a.b.example", ""],
    ["127.0.0.1:1", "127.0.0.1", "1"],
    ["127.1", "127.0.0.1", ""],
    ["2130706433", "127.0.0.1", ""],
    ["0x7f.1", "127.0.0.1", ""],
    ["[::1]:8080", "[::1]", "8080"],
    ["[0:0:0:0:0:0:0:1]", "[::1]", ""],
    ["[::FFFF:127.0.0.1]", "[::ffff:7f00:1]", ""],
    ["my_service", "my_service", ""],
  ])("%s", (text, name, port) => {
    expect(parseHost(text)).toEqual({ name, port });
  });

  it.each([
    "",
    "[",
    "]",
    "[]",
    "[::1",
    "::1",
    "[::g]",
    "[1:2]",
    "a b",
    "a/b",
    "a?b",
    "a#b",
    "a\\b",
    "user@localhost",
    "a,b",
    "a:b",
    "a:99999",
    "1.2.3.256",
    "%",
    "<",
    "localhost, evil.example",
    "\u00e4.example",
  ])("refuses %j", (text) => {
    expect(parseHost(text)).toBeUndefined();
  });
});

it.each([
  ["localhost", true],
  ["app.localhost", true],
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["[::1]", true],
  ["[::ffff:127.0.0.1]", true],
  ["localhost.example", false],
  ["notlocalhost", false],
  ["127.0.0.1.example", false],
  ["128.0.0.1", false],
  ["0.0.0.0", false],
  ["[::]", false],
  ["[::ffff:7f:1]", false],
  ["evil.example", false],
])("%s is a name of loopback: %j", (text, expected) => {
  expect(isLoopbackName(parseHost(text)?.name ?? "")).toBe(expected);
});

it.each([
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["10.0.0.1", false],
  ["::ffff:10.0.0.127", false],
  ["fe80::1", false],
  ["", false],
])("%j is an address of loopback: %j", (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});

it.each([
  ["https://app.example", "app.example"],
  ["HTTP://App.Example:80", "app.example"],
  ["http://[::1]:80", "[::1]"],
  ["null", undefined],
  ["file://", undefined],
  ["chrome-extension://abc", undefined],
  ["https://", undefined],
  ["https://a/b", undefined],
  ["https://a, https://b", undefined],
])("the origin %s has the host %j", (text, name) => {
  expect(parseOrigin(text)?.name).toBe(name);
});
