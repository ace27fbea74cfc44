import type { ConnectError } from "@connectrpc/connect";
import { sha256Hex } from "../../../base/text/digest.ts";
import { type AuthOptions, createAuthorizer } from "../../../gateway/auth.ts";
import { type Caller, CallRecord, type ProtocolName } from "../../../gateway/call/record.ts";
import { createHealth } from "../../../gateway/health/health.ts";
import { type ServedMethod, type ServedService, serve } from "../../../gateway/methods.ts";
import { createReflection } from "../../../gateway/reflection/reflection.ts";
import { Failing, Library } from "../testproto/gen/engage/test/v1/library_pb.ts";
import { returnCodes } from "../testproto/library.ts";

const library = serve(Library, {});
export const echo = method(library, "Echo");
export const getBook = method(library, "GetBook");
export const asStatus = method(serve(Failing, {}, { returnCodes }), "AsStatus");
export const check = method(createHealth([]).served, "Check");
export const reflect = method(createReflection([])[0]!, "ServerReflectionInfo");
/** A method whose handler checks a signature or token itself. */
export const selfChecked: ServedMethod = {
  ...echo,
  options: { ...echo.options, handlerAuthenticatesRest: true },
};

/** A method that changes nothing. */
export const reading: ServedMethod = { ...echo, options: { ...echo.options, readOnly: true } };

function method({ methods }: ServedService, name: string): ServedMethod {
  return methods.find(({ desc }) => desc.name === name)!;
}

export const keys: AuthOptions["keys"] = [
  { name: "all", sha256: sha256Hex("key-all"), methods: ["*"] },
  { name: "library", sha256: sha256Hex("key-library").toUpperCase(), methods: ["engage.test.v1.Library/*"] },
  {
    name: "two",
    sha256: sha256Hex("key-two"),
    methods: ["engage.test.v1.Library/Echo", "engage.test.v1.Failing/AsStatus"],
  },
  { name: "read", sha256: sha256Hex("key-read"), methods: ["*"], access: "read" },
];

export interface Attempt {
  readonly options?: Partial<AuthOptions>;
  readonly served?: ServedMethod;
  readonly protocol?: ProtocolName;
  readonly header?: Record<string, string>;
  readonly certificate?: string;
}

/** Returns a call that is checked, and its record. */
export function attempt({ options, served = echo, protocol = "grpc", header = {}, certificate }: Attempt) {
  const peer = { address: "192.0.2.7", secure: true, ...(certificate === undefined ? {} : { certificate }) };
  const record = new CallRecord(served.desc, protocol, peer, {});
  const authorize = createAuthorizer({ mode: "keys", keys, ...options });
  const call = (): Caller => {
    authorize(record, served, new Headers(header));
    return record.caller;
  };
  return { call, record };
}

export function refusalOf(attempted: Attempt): ConnectError {
  try {
    attempt(attempted).call();
  } catch (error) {
    return error as ConnectError;
  }
  throw new Error("the call was let in");
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/** Lets in one certificate, for one method. */
export const onlyA: Partial<AuthOptions> = {
  certificates: [{ subject: "a.test", methods: ["engage.test.v1.Library/Echo"] }],
};
