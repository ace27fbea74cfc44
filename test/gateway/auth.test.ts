import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import { type AuthOptions, createAuthorizer } from "../../gateway/auth.ts";
import { type Caller, CallRecord, type ProtocolName } from "../../gateway/call/record.ts";
import { createHealth } from "../../gateway/health/health.ts";
import { type ServedMethod, type ServedService, serve } from "../../gateway/methods.ts";
import { createReflection } from "../../gateway/reflection/reflection.ts";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { Failing, Library } from "./testproto/gen/engage/test/v1/library_pb.ts";
import { returnCodes } from "./testproto/library.ts";

const library = serve(Library, {});
const echo = method(library, "Echo");
const getBook = method(library, "GetBook");
const asStatus = method(serve(Failing, {}, { returnCodes }), "AsStatus");
const check = method(createHealth([]).served, "Check");
const reflect = method(createReflection([])[0]!, "ServerReflectionInfo");
/** A method whose handler checks a signature or token itself. */
const selfChecked: ServedMethod = { ...echo, options: { ...echo.options, handlerAuthenticatesRest: true } };

/** A method that changes nothing. */
const reading: ServedMethod = { ...echo, options: { ...echo.options, readOnly: true } };

function method({ methods }: ServedService, name: string): ServedMethod {
  return methods.find(({ desc }) => desc.name === name)!;
}

const keys: AuthOptions["keys"] = [
  { name: "all", sha256: sha256Hex("key-all"), methods: ["*"] },
  { name: "library", sha256: sha256Hex("key-library").toUpperCase(), methods: ["engage.test.v1.Library/*"] },
  {
    name: "two",
    sha256: sha256Hex("key-two"),
    methods: ["engage.test.v1.Library/Echo", "engage.test.v1.Failing/AsStatus"],
  },
  { name: "read", sha256: sha256Hex("key-read"), methods: ["*"], access: "read" },
];

interface Attempt {
  readonly options?: Partial<AuthOptions>;
  readonly served?: ServedMethod;
  readonly protocol?: ProtocolName;
  readonly header?: Record<string, string>;
  readonly certificate?: string;
}

function attempt({ options, served = echo, protocol = "grpc", header = {}, certificate }: Attempt) {
  const peer = { address: "192.0.2.7", secure: true, ...(certificate === undefined ? {} : { certificate }) };
  const record = new CallRecord(served.desc, protocol, peer, {});
  const authorize = createAuthorizer({ mode: "keys", keys, ...options });
  const call = (): Caller => {
    authorize(record, served, new Headers(header));
    return record.caller;
  };
  return { call, record };
}

function refusalOf(attempted: Attempt): ConnectError {
  try {
    attempt(attempted).call();
  } catch (error) {
    return error as ConnectError;
  }
  throw new Error("the call was let in");
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const onlyA: Partial<AuthOptions> = {
  certificates: [{ subject: "a.test", methods: ["engage.test.v1.Library/Echo"] }],
};

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

describe("asks for a key", () => {
  const missing = "this call needs a key";
  const unknown = "the key is not known to this server";

  it.each<[string, Attempt, string, string]>([
    ["when there is none", {}, missing, "KEY_MISSING"],
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

describe("rules", () => {
  it.each([
    ["Echo", []],
    ["*/*", []],
    ["engage.test.v1.Library", []],
    ["engage.test.v1.Library/Ec*", []],
    ["", []],
  ])('refuse the pattern "%s"', (pattern) => {
    const rule = { name: "k", sha256: sha256Hex("k"), methods: [pattern] };
    expect(() => createAuthorizer({ mode: "keys", keys: [rule] })).toThrow(
      `methods of key "k" has "${pattern}", valid are "*", "package.Service/*" and "package.Service/Method"`,
    );
  });

  it.each([
    [
      "a digest that is none",
      [{ name: "k", sha256: "abc", methods: ["*"] }],
      'sha256 of key "k" must be 64 hexadecimal digits',
    ],
    [
      "one key under two names",
      [
        { name: "k", sha256: sha256Hex("k"), methods: ["*"] },
        { name: "l", sha256: sha256Hex("k"), methods: [] },
      ],
      'keys "k" and "l" are the same key',
    ],
  ])("refuse %s", (_, rules, message) => {
    expect(() => createAuthorizer({ mode: "keys", keys: rules })).toThrow(message);
  });

  it("hash keys with SHA-256", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
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
