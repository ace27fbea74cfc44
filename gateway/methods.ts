import {
  create,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type Message,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  createMethodImplSpec,
  type MethodImpl,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { JsonBounds } from "../base/json/bounds.ts";
import {
  ErrorStyle,
  type GatewayOptions,
  GatewayOptionsSchema,
  gateway,
} from "../gen/engage/gateway/v1/options_pb.ts";
import type { AdmitCaller, AdmitHead } from "./http/request-head.ts";

/** A service together with what implements it. Made by `serve`. */
export interface ServedService {
  readonly desc: DescService;
  readonly methods: readonly ServedMethod[];
}

/** One RPC as every protocol of the gateway serves it. */
export interface ServedMethod {
  readonly desc: DescMethod;
  /** `package.Service/Method`, the name in configuration, logs and metrics. */
  readonly name: string;
  /** Kind, method and implementation; unimplemented methods throw UNIMPLEMENTED. */
  readonly spec: MethodImplSpec;
  /** The method's own gateway options, with their defaults where it has none. */
  readonly options: GatewayOptions;
  /** Bounds on JSON bodies that differ from those of the server. */
  readonly json?: Partial<JsonBounds>;
  /** Largest request in bytes, where that is less than the server allows. */
  readonly maxMessageBytes?: number;
  /** Return codes of errors without one of their own; methods with the error style ENVELOPE have them. */
  readonly returnCodes?: ReturnCodes;
  /** Admits callers over REST before the body is read. */
  readonly admit?: AdmitHead;
  /** Admits callers over the other protocols before the message is read. */
  readonly admitCaller?: AdmitCaller;
  /** Does the same as the implementation of a server-streaming method, at a smaller cost. */
  readonly subscribe?: Subscribe;
}

/** Receives the messages of a call. */
export interface Subscriber {
  /** Sends a message. If the caller does not read, it is replaced by the next one. */
  send(message: Message): void;
  /** Ends the call after the last message. */
  complete(): void;
}

/**
 * Sends messages to the subscriber until the function that it returns is called. Throws a ConnectError before the
 * first.
 */
export type Subscribe = (request: Message, subscriber: Subscriber) => () => void;

/** The `return_code` by status code. Codes that are left out count as `Code.Internal`. */
export type ReturnCodes = Readonly<
  Record<typeof Code.Internal | typeof Code.InvalidArgument, number> & Partial<Record<Code, number>>
>;

/** Error styles of contracts that others have published. */
const foreignStyles: ReadonlySet<ErrorStyle> = new Set([
  ErrorStyle.RETURN_CODE,
  ErrorStyle.ENVELOPE,
  ErrorStyle.CODE,
]);

/**
 * Returns whether the REST form of a method is a contract of others, whose callers may send more members than it has.
 */
export function isForeignContract({ options }: ServedMethod): boolean {
  return foreignStyles.has(options.errorStyle);
}

/** Returns the HTTP methods by which RPC protocols call this method. */
export function httpMethodsOf({ desc }: ServedMethod): readonly string[] {
  const isRead = desc.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return isRead && desc.methodKind === "unary" ? ["GET", "POST"] : ["POST"];
}

/** The methods of contracts that others have published and that only read. */
const readOnlyServices: ReadonlySet<string> = new Set([
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
]);

/** Returns whether a method changes nothing, so that keys that may only read can call it. */
export function isReadOnly({ desc, options }: ServedMethod): boolean {
  return (
    options.readOnly ||
    desc.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ||
    readOnlyServices.has(desc.parent.typeName)
  );
}

/** Options of the methods of a service that their contract cannot have. */
export interface ServeOptions<S extends DescService = DescService> {
  /** Bounds on the JSON bodies of its methods that differ from those of the server. */
  readonly json?: Partial<JsonBounds>;
  /** Largest request of its methods in bytes, unless the limits of the server have another one for a method. */
  readonly maxMessageBytes?: number;
  /** Needed by methods with the error style ENVELOPE. */
  readonly returnCodes?: ReturnCodes;
  /** Checks of heads over REST, by method names of the implementation. See AdmitHead. */
  readonly admit?: { readonly [Name in keyof S["method"]]?: AdmitHead };
  /** Checks of callers over the other protocols, by method names of the implementation. See AdmitCaller. */
  readonly admitCaller?: { readonly [Name in keyof S["method"]]?: AdmitCaller };
  /** By method names of the implementation, see ServedMethod. */
  readonly subscribe?: { readonly [Name in keyof S["method"]]?: Subscribe };
}

/** Pairs a service with its implementation. Methods that are left out return UNIMPLEMENTED. */
export function serve<S extends DescService>(
  desc: S,
  impl: Partial<ServiceImpl<S>>,
  options: ServeOptions<S> = {},
): ServedService {
  return { desc, methods: desc.methods.map((method) => serveMethod(method, impl, options)) };
}

function serveMethod(desc: DescMethod, impl: object, options: ServeOptions): ServedMethod {
  const name = `${desc.parent.typeName}/${desc.name}`;
  const handler = (impl as Record<string, unknown>)[desc.localName];
  const admit = (options.admit as Readonly<Record<string, AdmitHead>> | undefined)?.[desc.localName];
  const admitCaller = (options.admitCaller as Readonly<Record<string, AdmitCaller>> | undefined)?.[
    desc.localName
  ];
  const subscribe = (options.subscribe as Readonly<Record<string, Subscribe>> | undefined)?.[desc.localName];
  const bound = typeof handler === "function" ? handler.bind(impl) : refuse(name);
  const own = hasOption(desc, gateway) ? getOption(desc, gateway) : create(GatewayOptionsSchema);
  if (own.errorStyle === ErrorStyle.ENVELOPE && options.returnCodes === undefined)
    throw new Error(`${name} has the error style ENVELOPE and needs returnCodes`);
  return {
    desc,
    name,
    spec: createMethodImplSpec(desc, bound as MethodImpl<DescMethod>),
    options: own,
    ...(options.returnCodes && { returnCodes: options.returnCodes }),
    ...(options.json && { json: options.json }),
    ...(options.maxMessageBytes && { maxMessageBytes: options.maxMessageBytes }),
    ...(admit && { admit }),
    ...(admitCaller && { admitCaller }),
    ...(subscribe && { subscribe }),
  };
}

function refuse(name: string): () => never {
  return () => {
    throw new ConnectError(
      `${name} is part of the contract but not implemented by this server`,
      Code.Unimplemented,
    );
  };
}
