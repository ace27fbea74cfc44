import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import {
  type Attempt,
  asStatus,
  attempt,
  bearer,
  echo,
  getBook,
  onlyA,
  reflect,
  refusalOf,
  selfChecked,
} from "./attempt.ts";

describe("asks for a key", () => {
  const missing = "this call needs a key";
  const unknown = "the key is not known to this server";

  it.each<[string, Attempt, string, string]>([
    ["when the call has none", {}, missing, "KEY_MISSING"],
    ["when the scheme is another", { header: { authorization: "Basic key-all" } }, missing, "KEY_MISSING"],
    [
      "when the key is empty",
      { header: { authorization: "Bearer ", "x-api-key": "" } },
      missing,
      "KEY_MISSING",
    ],
    ["when the key is not known", { header: bearer("key-al") }, unknown, "KEY_UNKNOWN"],
    ["when the digest is sent for the key", { header: bearer(sha256Hex("key-all")) }, unknown, "KEY_UNKNOWN"],
    [
      "when it is wrong beside a certificate",
      { header: bearer("no"), certificate: "a.test" },
      unknown,
      "KEY_UNKNOWN",
    ],
    ["for reflection", { served: reflect }, missing, "KEY_MISSING"],
    ["on other protocols than REST", { served: selfChecked, protocol: "connect" }, missing, "KEY_MISSING"],
    ["over REST where nobody else checks", { protocol: "rest" }, missing, "KEY_MISSING"],
    [
      "when no key is configured",
      { options: { keys: [] }, header: bearer("key-all") },
      unknown,
      "KEY_UNKNOWN",
    ],
  ])("%s", (_, attempted, message, reason) => {
    const error = refusalOf(attempted);
    expect(error.code).toBe(Code.Unauthenticated);
    expect(error.rawMessage).toBe(
      `${message}, accepted are "authorization: Bearer KEY", "x-api-key: KEY" and client certificates`,
    );
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason, domain: "engage", metadata: { accepted: "authorization: Bearer KEY, x-api-key: KEY" } },
    ]);
    expect(error.metadata.get("www-authenticate")).toBe("Bearer");
  });
});

describe("denies", () => {
  it.each<[string, Attempt, string]>([
    ["a method that the key lacks", { header: bearer("key-two"), served: getBook }, getBook.name],
    ["another service", { header: bearer("key-library"), served: asStatus }, asStatus.name],
    [
      "a method that the certificate lacks",
      { certificate: "a.test", options: onlyA, served: getBook },
      getBook.name,
    ],
    ["a certificate that is not listed", { certificate: "b.test", options: onlyA }, echo.name],
    [
      "every certificate when none is listed",
      { certificate: "a.test", options: { certificates: [] } },
      echo.name,
    ],
  ])("%s, naming the method", (_, attempted, name) => {
    const error = refusalOf(attempted);
    expect(error.code).toBe(Code.PermissionDenied);
    expect(error.rawMessage).toBe(`this caller may not call ${name}`);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "METHOD_NOT_ALLOWED", metadata: { method: name } },
    ]);
  });

  it.each<[string, Attempt]>([
    ["by RPC", {}],
    ["over REST", { protocol: "rest" }],
    ["over REST where the handler checks callers", { protocol: "rest", served: selfChecked }],
  ])("what changes something to a key that may only read, %s", (_, attempted) => {
    const error = refusalOf({ header: bearer("key-read"), ...attempted });
    expect(error.code).toBe(Code.PermissionDenied);
    expect(error.rawMessage).toBe(
      `this key has read access, and ${echo.name} changes something: use a key with access: write`,
    );
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "READ_ONLY", metadata: { method: echo.name } },
    ]);
  });

  it("what a session asks for over native gRPC, which no page can use", () => {
    const options = { sessionKeyOf: () => "key-all" };
    expect(refusalOf({ options }).code).toBe(Code.Unauthenticated);
    const header = { "connect-protocol-version": "1" };
    expect(attempt({ options, header, protocol: "connect" }).call()).toEqual({ kind: "key", name: "all" });
  });

  it("and notes the caller for the log", () => {
    const { call, record } = attempt({ header: bearer("key-two"), served: getBook });
    expect(call).toThrow(ConnectError);
    expect(record.caller).toEqual({ kind: "key", name: "two" });
  });

  it.each([
    ["a wrong key", { header: bearer("wrong-secret") }],
    ["a key without the method", { header: bearer("key-two"), served: getBook }],
  ])("%s without repeating it", (_, attempted) => {
    const error = refusalOf(attempted);
    const reported = JSON.stringify([error.message, error.findDetails(ErrorInfoSchema), [...error.metadata]]);
    expect(reported).not.toMatch(/wrong-secret|key-two|"two"/);
  });
});
