import type { DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { loadOnce } from "./load-once.ts";

type Method = (request: unknown, context: HandlerContext) => unknown;
type Methods = Readonly<Record<string, Method>>;

/**
 * A service whose implementation is loaded when one of its methods is first
 * called, once for all that come meanwhile; when that fails, again with the next call.
 */
export function createLateService<S extends DescService>(
  service: S,
  load: () => Promise<ServiceImpl<S>>,
): ServiceImpl<S> {
  let loaded: Methods | undefined;
  const loading = loadOnce(async () => {
    loaded = (await load()) as Methods;
    return loaded;
  });
  const find = async (name: string): Promise<Method> => (await loading())[name]!;
  const lateUnary =
    (name: string): Method =>
    (request, context) =>
      loaded === undefined
        ? find(name).then((method) => method(request, context))
        : loaded[name]!(request, context);
  const lateStream = (name: string): Method =>
    async function* (request, context) {
      const method = await find(name);
      yield* method(request, context) as AsyncIterable<unknown>;
    };
  const methods = service.methods.map(({ localName, methodKind }): [string, Method] => {
    const isStream = methodKind === "server_streaming" || methodKind === "bidi_streaming";
    return [localName, isStream ? lateStream(localName) : lateUnary(localName)];
  });
  return Object.fromEntries(methods) as unknown as ServiceImpl<S>;
}
