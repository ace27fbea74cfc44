import { httpMethodsOf, type ServedMethod, type ServedService } from "../methods.ts";
import type { RestRouter } from "../rest/rest.ts";

/** The properties of a path that decide whether pages of other origins may call it. */
export interface Target {
  /** The RPC at the path; undefined for pages of the server and for unknown paths. */
  readonly served: ServedMethod | undefined;
  /** Pages of every origin may call it. */
  readonly anyOrigin: boolean;
  /** Its handler requires a signature, an app id or a token. */
  readonly hasOwnAuth: boolean;
  /** In capitals. */
  readonly methods: readonly string[];
  /** Whether the RPC is called over REST there. */
  readonly isRest: boolean;
}

export type FindTarget = (method: string, path: string) => Target;

const pageMethods = ["GET", "HEAD"];

/** Looks targets up by path, and by HTTP method where a path has several RPCs. */
export function createTargets(services: readonly ServedService[], rest: RestRouter): FindTarget {
  const rpcs = new Map(
    services.flatMap(({ methods }) => methods.map((served) => [`/${served.name}`, rpcTarget(served)])),
  );
  return (method, path) => {
    const rpc = rpcs.get(path);
    if (rpc !== undefined) return rpc;
    const methods = rest.methodsAt(path);
    const served = rest.find(method, path) ?? (methods[0] && rest.find(methods[0], path));
    return served ? restTarget(served, methods) : pageTarget;
  };
}

function rpcTarget(served: ServedMethod): Target {
  return { ...pageTarget, served, methods: httpMethodsOf(served) };
}

function restTarget(served: ServedMethod, methods: readonly string[]): Target {
  const { anyOrigin, handlerAuthenticatesRest: hasOwnAuth } = served.options;
  return { served, anyOrigin, hasOwnAuth, methods, isRest: true };
}

const pageTarget: Target = {
  served: undefined,
  anyOrigin: false,
  hasOwnAuth: false,
  methods: pageMethods,
  isRest: false,
};
