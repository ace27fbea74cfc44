import type { DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";

type Method = (request: unknown, context: HandlerContext) => unknown;

/** A promise to wait for before the method runs; undefined: nothing to wait for. */
export type Gate = () => Promise<unknown> | undefined;

/**
 * The same service, each of whose methods waits for the gate. Once that is
 * open, methods are called as they are.
 * @param names of methods, as in the implementation; all when left out
 */
export function gateService<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  gate: Gate,
  names?: readonly string[],
): ServiceImpl<S> {
  const methods = implementation as Readonly<Record<string, Method>>;
  const gated = service.methods
    .filter(({ localName }) => names === undefined || names.includes(localName))
    .map(({ localName, methodKind }): [string, Method] => {
      const method = methods[localName]!;
      const isStream = methodKind === "server_streaming" || methodKind === "bidi_streaming";
      return [localName, isStream ? gateStream(method, gate) : gateUnary(method, gate)];
    });
  return { ...implementation, ...Object.fromEntries(gated) };
}

function gateUnary(method: Method, gate: Gate): Method {
  return (request, context) => {
    const opening = gate();
    return opening === undefined ? method(request, context) : opening.then(() => method(request, context));
  };
}

function gateStream(method: Method, gate: Gate): Method {
  return async function* (request, context) {
    await gate();
    yield* method(request, context) as AsyncIterable<unknown>;
  };
}
