import type { RestCodecs } from "../../base/rpc/rest-codec.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { NodeRequest, NodeResponse } from "../http/http.ts";
import type { ServedMethod } from "../methods.ts";
import { compileBindings, type RestBinding } from "./bindings.ts";
import { createPathTable } from "./path/path-table.ts";
import type { PathTemplate } from "./path/template.ts";
import { refuseMethod } from "./refuse-method.ts";
import { compileStreamRoute } from "./stream.ts";
import { compileRefusedRoute, compileUnaryRoute, type ServeRoute } from "./unary.ts";

export interface RestRouter {
  /** Serves the request if a route has its path, else returns false. */
  readonly handle: (request: NodeRequest, response: NodeResponse) => boolean;
  readonly routes: readonly RestBinding[];
  /** Returns the RPC of this HTTP method and path. */
  readonly find: (method: string, path: string) => ServedMethod | undefined;
  /** Returns the HTTP methods that are served at a path, sorted. */
  readonly methodsAt: (path: string) => readonly string[];
}

export interface RestOptions {
  readonly codecs?: RestCodecs;
}

interface Route {
  readonly binding: RestBinding;
  readonly serve: ServeRoute;
}

/**
 * Creates the router of REST from the `google.api.http` options of the served
 * methods. `bindings.ts` reads the options, `request.ts` and `response.ts` convert
 * between HTTP and messages, `unary.ts` and `stream.ts` serve calls, `status.ts`
 * writes errors. Throws when an option is wrong or two of them have the same HTTP
 * method and form of path.
 */
export function createRestRouter(gateway: GatewayContext, options: RestOptions = {}): RestRouter {
  const codecs: RestCodecs = options.codecs ?? new Map();
  const routes = compileBindings(gateway.services);
  const table = createPathTable<Route>();
  for (const binding of routes) {
    const { httpMethod, template, served } = binding;
    const before = table.add(httpMethod, template, {
      binding,
      serve: compileRoute(gateway, binding, codecs),
    });
    if (before !== undefined) {
      const { binding: other } = before;
      throw new Error(
        `${httpMethod} "${template.text}" of ${served.name} takes the same paths as "${other.template.text}" of ${other.served.name}`,
      );
    }
  }
  const matchOf = (method: string, path: string) =>
    table.find(method, path) ?? (method === "HEAD" ? table.find("GET", path) : undefined);
  const handle = (request: NodeRequest, response: NodeResponse): boolean => {
    const { url = "", method = "" } = request;
    const mark = url.indexOf("?");
    const path = mark === -1 ? url : url.slice(0, mark);
    const match = matchOf(method, path);
    if (match !== undefined) {
      match.value.serve(request, response, match.segments, mark === -1 ? "" : url.slice(mark + 1));
      return true;
    }
    const methods = table.methodsAt(path);
    if (methods.length === 0) return false;
    const { template, served } = table.find(methods[0]!, path)!.value.binding;
    const heads = methods.includes("GET") ? ["HEAD"] : [];
    const below = pathsBelow(template, routes);
    refuseMethod(request, response, { path, methods: [...methods, ...heads], below, served });
    return true;
  };
  return {
    handle,
    routes,
    find: (method, path) => matchOf(method, path)?.value.binding.served,
    methodsAt: table.methodsAt,
  };
}

/** Returns the routes with their own path below a template that takes all paths there. */
function pathsBelow({ text, segments }: PathTemplate, routes: readonly RestBinding[]): readonly string[] {
  if (segments.at(-1)?.kind !== "rest") return [];
  const place = text.slice(0, text.search(/[{*]/));
  const paths = routes.map(({ httpMethod, template }) => [httpMethod, template.text] as const);
  return paths
    .filter(([, path]) => path !== text && path.startsWith(place))
    .map(([httpMethod, path]) => `${httpMethod} ${path}`);
}

function compileRoute(gateway: GatewayContext, binding: RestBinding, codecs: RestCodecs): ServeRoute {
  const { spec } = binding.served;
  if (spec.kind === "unary") return compileUnaryRoute(gateway, binding, codecs);
  if (spec.kind === "server_streaming") return compileStreamRoute(gateway, binding, codecs);
  return compileRefusedRoute(gateway, binding);
}
