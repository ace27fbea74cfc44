import { expect, test } from "vitest";
import { isLoopback, parseListen } from "../../../cmd/config/listen.ts";

const addresses = [
  ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
  ["[::1]:8080", { host: "::1", port: 8080 }],
  ["[::]:0", { host: "::", port: 0 }],
  ["localhost:65535", { host: "localhost", port: 65_535 }],
  ["localhost:65536", undefined],
  ["::1:8080", undefined],
  ["[127.0.0.1]:80", undefined],
  ["[::1]", undefined],
  [":8080", undefined],
  ["8080", undefined],
  ["localhost", undefined],
  ["http://localhost:80", undefined],
  ["localhost:80/", undefined],
  ["localhost:-1", undefined],
  ["local host:80", undefined],
  ["", undefined],
] as const;

test.each(addresses)("%s", (text, expected) => {
  expect(parseListen(text)).toEqual(expected);
});

const hosts = [
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["::1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
  ["127.example.com", false],
  ["localhost.example.com", false],
] as const;

test.each(hosts)("%s is loopback: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
