import { describe, expect, it } from "vitest";
import { createAuthorizer } from "../../../gateway/auth.ts";
import type { Caller } from "../../../gateway/call/record.ts";
import {
  type Attempt,
  asStatus,
  attempt,
  bearer,
  check,
  echo,
  getBook,
  keys,
  onlyA,
  reading,
  reflect,
  selfChecked,
} from "./attempt.ts";

describe("lets in", () => {
  it.each<[string, Attempt, Caller]>([
    ["a bearer key", { header: bearer("key-all") }, { kind: "key", name: "all" }],
    [
      "any case of the scheme",
      { header: { authorization: "bEARER  key-all " } },
      { kind: "key", name: "all" },
    ],
    ["x-api-key", { header: { "x-api-key": "key-all" } }, { kind: "key", name: "all" }],
    ["a key for all of a service", { header: bearer("key-library") }, { kind: "key", name: "library" }],
    ["a key for single methods", { header: bearer("key-two") }, { kind: "key", name: "two" }],
    ["a second method", { header: bearer("key-two"), served: asStatus }, { kind: "key", name: "two" }],
    [
      "x-api-key beside another scheme",
      { header: { authorization: "Basic YTpi", "x-api-key": "key-all" } },
      { kind: "key", name: "all" },
    ],
    [
      "a key that may only read, for a method that only reads",
      { header: bearer("key-read"), served: reading },
      { kind: "key", name: "read" },
    ],
    [
      "such a key for reflection",
      { header: bearer("key-read"), served: reflect },
      { kind: "key", name: "read" },
    ],
    ["any verified certificate", { certificate: "a.test" }, { kind: "certificate", name: "a.test" }],
    [
      "a listed certificate",
      { certificate: "a.test", options: onlyA },
      { kind: "certificate", name: "a.test" },
    ],
    [
      "a key before a certificate",
      { certificate: "a.test", header: bearer("key-all") },
      { kind: "key", name: "all" },
    ],
    ["health checks", { served: check }, { kind: "anonymous", name: "" }],
    [
      "health checks with a wrong key",
      { served: check, header: bearer("no") },
      { kind: "anonymous", name: "" },
    ],
    [
      "health checks of a known caller",
      { served: check, header: bearer("key-two") },
      { kind: "key", name: "two" },
    ],
    [
      "REST where the handler checks",
      { served: selfChecked, protocol: "rest" },
      { kind: "anonymous", name: "" },
    ],
    [
      "REST where the handler checks, with a key of its own",
      { served: selfChecked, protocol: "rest", header: bearer("no") },
      { kind: "anonymous", name: "" },
    ],
    ["everybody when off", { options: { mode: "off" } }, { kind: "anonymous", name: "" }],
    [
      "a wrong key when off",
      { options: { mode: "off" }, header: bearer("no") },
      { kind: "anonymous", name: "" },
    ],
    [
      "a known key when off",
      { options: { mode: "off" }, header: bearer("key-two") },
      { kind: "key", name: "two" },
    ],
    [
      "a known key for any method when off",
      { options: { mode: "off" }, header: bearer("key-two"), served: getBook },
      { kind: "key", name: "two" },
    ],
    [
      "certificates when off and without keys",
      { options: { mode: "off", keys: [] }, certificate: "a.test" },
      { kind: "certificate", name: "a.test" },
    ],
  ])("%s", (_, attempted, caller) => {
    expect(attempt(attempted).call()).toEqual(caller);
  });
});

describe("a call that is checked again after its key was removed", () => {
  it.each<[string, Omit<Attempt, "header">]>([
    ["when keys are not required", { options: { mode: "off" } }],
    ["over REST where the handler checks", { served: selfChecked, protocol: "rest" }],
  ])("%s, has no caller any more", (_name, attempted) => {
    const { served = echo, options } = attempted;
    const { call, record } = attempt({ ...attempted, header: bearer("key-all") });
    expect([call().name, record.mayCall]).toEqual(["all", true]);
    const authorize = createAuthorizer({ mode: "keys", ...options, keys: keys.slice(1) });
    authorize(record, served, new Headers(bearer("key-all")));
    expect([record.caller, record.mayCall]).toEqual([{ kind: "anonymous", name: "" }, false]);
  });
});
