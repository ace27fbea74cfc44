import { describe, expect, it } from "vitest";
import { describeSystemError, errorMessage } from "../../../base/text/system-error.ts";

const fault = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code}: the system's own words`), { code, ...more });
const to = (address: string, port = 8080) => ({ syscall: "connect", address, port });

describe("describeSystemError", () => {
  it.each<[string, Error, string]>([
    ["a missing file", fault("ENOENT", { syscall: "open", path: "a" }), "no such file or folder"],
    ["a folder", fault("EISDIR"), "it is a folder, not a file"],
    ["no permission", fault("EACCES", { syscall: "open" }), "permission denied"],
    ["a full disk", fault("ENOSPC"), "no space is left on the disk"],
    ["no listener", fault("ECONNREFUSED", to("127.0.0.1")), "connection refused by 127.0.0.1:8080"],
    ["no listener on IPv6", fault("ECONNREFUSED", to("::1")), "connection refused by [::1]:8080"],
    ["no listener, no address", fault("ECONNREFUSED"), "connection refused"],
    [
      "several addresses",
      new AggregateError([fault("ECONNREFUSED", to("::1")), fault("ECONNREFUSED", to("127.0.0.1"))]),
      "connection refused by [::1]:8080, connection refused by 127.0.0.1:8080",
    ],
    [
      "an unknown host",
      fault("ENOTFOUND", { hostname: "a.test" }),
      "no address is known for the host a.test",
    ],
    ["a silent host", fault("ETIMEDOUT", to("10.0.0.1")), "no answer from 10.0.0.1:8080 in time"],
    [
      "a port in use",
      fault("EADDRINUSE", { syscall: "listen", address: "::", port: 80 }),
      "[::]:80 is already in use by another program",
    ],
    [
      "a port of the privileged",
      fault("EACCES", { syscall: "listen", address: "127.0.0.1", port: 80 }),
      "permission denied for 127.0.0.1:80: ports below 1024 are for privileged programs",
    ],
    ["a rare one", fault("ENXIO"), "no such device or address"],
  ])("%s", (_what, error, words) => {
    expect(describeSystemError(error)).toBe(words);
  });

  it.each<[string, unknown]>([
    ["no error", "ENOENT"],
    ["an error without code", new Error("ENOENT")],
    ["a code of Node", fault("ERR_INVALID_ARG_TYPE")],
    ["a name that every object has", fault("constructor")],
    ["several faults, one of which is another", new AggregateError([fault("EPIPE"), new Error("other")])],
  ])("knows nothing of %s", (_what, error) => {
    expect(describeSystemError(error)).toBeUndefined();
  });
});

describe("errorMessage", () => {
  it.each<[string, unknown, string]>([
    [
      "a file",
      fault("EACCES", { syscall: "mkdir", path: "/d" }),
      'cannot make the folder "/d": permission denied',
    ],
    [
      "a file to open",
      fault("ENOENT", { syscall: "open", path: "f" }),
      'cannot open "f": no such file or folder',
    ],
    [
      "a place to listen",
      fault("EADDRINUSE", { syscall: "listen", address: "127.0.0.1", port: 1 }),
      "cannot listen: 127.0.0.1:1 is already in use by another program",
    ],
    ["a cause", new TypeError("fetch failed", { cause: fault("ECONNREFUSED") }), "connection refused"],
    ["an error of ours", new Error("it is wrong"), "it is wrong"],
    ["no error", 7, "7"],
  ])("%s", (_what, error, words) => {
    expect(errorMessage(error)).toBe(words);
  });
});
