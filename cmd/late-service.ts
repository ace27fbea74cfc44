import type { DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";

type Method = (request: unknown, context: HandlerContext) => unknown;

/** A service whose implementation is loaded when one of its methods is first called. */
export function createLateService<S extends DescService>(
  service: S,
  load: () => Promise<ServiceImpl<S>>,
): ServiceImpl<S> {
  const find = async (name: string): Promise<Method> =>
    ((await load()) as Readonly<Record<string, Method>>)[name]!;
  const methods = service.methods.map(({ localName, methodKind }): [string, Method] => {
    const isStream = methodKind === "server_streaming" || methodKind === "bidi_streaming";
    return [localName, isStream ? lateStream(() => find(localName)) : lateUnary(() => find(localName))];
  });
  return Object.fromEntries(methods) as unknown as ServiceImpl<S>;
}

function lateUnary(find: () => Promise<Method>): Method {
  return async (request, context) => (await find())(request, context);
}

function lateStream(find: () => Promise<Method>): Method {
  return async function* (request, context) {
    const method = await find();
    yield* method(request, context) as AsyncIterable<unknown>;
  };
}
