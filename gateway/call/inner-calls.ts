import type { IncomingHttpHeaders } from "node:http";
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport, type UnaryResponse } from "@connectrpc/connect";
import type { GatewayContext } from "../gateway-context.ts";
import type { ServedMethod } from "../methods.ts";
import { Call } from "./call.ts";
import { reportLate, toSafeError } from "./failures.ts";
import { compileUnary, type InvokeUnary, reportOutcome } from "./invoke.ts";
import { CallRecord, type Peer } from "./record.ts";

/** The request that makes calls. */
export interface CallOrigin {
  /** Its headers, with the names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly peer: Peer;
}

interface InnerMethod {
  readonly served: ServedMethod;
  readonly invoke: InvokeUnary;
}

/**
 * Creates transports for calls within this process. Such a call has the headers and the peer of the request that makes
 * it: its key must allow the method, and limits, logs and metrics see the call, with the protocol `mcp`. Only unary
 * methods can be called.
 */
export function createInnerCalls(gateway: GatewayContext): (origin: CallOrigin) => Transport {
  let compiled: ReadonlyMap<string, InnerMethod> | undefined;
  return (origin) => ({
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      _header: unknown,
      input: MessageInitShape<I>,
    ): Promise<UnaryResponse<I, O>> {
      const name = `${method.parent.typeName}/${method.name}`;
      // Most servers never make such calls, so their start does not wait for this.
      compiled ??= compileMethods(gateway);
      const found = compiled.get(name);
      if (found === undefined) throw notServed(name);
      const message: Message = create(method.input, input);
      const output = await callInside(gateway, found, origin, message, { signal, timeoutMs });
      return {
        stream: false,
        service: method.parent,
        method,
        header: new Headers(),
        trailer: new Headers(),
        message: output as MessageShape<O>,
      };
    },
    async stream(method) {
      throw notServed(`${method.parent.typeName}/${method.name}`);
    },
  });
}

function compileMethods({ services, interceptors }: GatewayContext): ReadonlyMap<string, InnerMethod> {
  const methods = services.flatMap((service) => service.methods).filter(({ spec }) => spec.kind === "unary");
  return new Map(
    methods.map((served) => [served.name, { served, invoke: compileUnary(served, interceptors) }]),
  );
}

function notServed(name: string): ConnectError {
  return new ConnectError(`${name} cannot be called within this process`, Code.Unimplemented);
}

interface CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
}

/** Makes one call. Rejects with what a caller over the network would get. */
function callInside(
  gateway: GatewayContext,
  { served, invoke }: InnerMethod,
  { headers, peer }: CallOrigin,
  message: Message,
  { signal, timeoutMs }: CallLimits,
): Promise<Message> {
  const record = new CallRecord(served.desc, "mcp", peer, headers);
  const call = new Call(served, record, { method: "POST", target: `/${served.name}`, headers });
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  let isEnded = false;
  const cancel = (): void => call.abort(new ConnectError("the caller closed the connection", Code.Canceled));
  const end = (settle: () => void): void => {
    isEnded = true;
    signal?.removeEventListener("abort", cancel);
    call.end();
    gateway.observer.finished(record);
    settle();
  };
  const fail = (reason: unknown): void => {
    if (isEnded) {
      reportLate(reason, record, gateway.reportFault);
      return;
    }
    const error = toSafeError(reason, record, gateway.reportFault);
    record.code = error.code;
    end(() => reject(error));
  };
  const succeed = (output: Message): void => {
    if (!isEnded) end(() => resolve(output));
  };
  gateway.observer.started(record);
  try {
    gateway.authorize(record, served, call.requestHeader);
    call.message = message;
    call.onAbort(fail);
    call.startDeadline(timeoutMs, gateway.limits.maxDeadlineMs);
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    if (!isEnded) reportOutcome(invoke(call), { succeed, fail });
  } catch (error) {
    fail(error);
  }
  return promise;
}
