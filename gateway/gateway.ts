import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import type { RestCodecs } from "../base/rpc/rest-codec.ts";
import { shorten } from "../base/text/quote.ts";
import { createAdapter } from "./adapter/adapter.ts";
import type { ReportFault } from "./call/failures.ts";
import { type CallOrigin, createInnerCalls } from "./call/inner-calls.ts";
import { allObservers, type CallObserver } from "./call/record.ts";
import type { Authorize, GatewayContext } from "./gateway-context.ts";
import { createHealth, type Health } from "./health/health.ts";
import { Connections } from "./http/connections.ts";
import type { NodeRequest, NodeResponse } from "./http/http.ts";
import { OpenBytes } from "./http/open-bytes.ts";
import { createPort, type PortOptions } from "./http/port.ts";
import { sendResponse } from "./http/send.ts";
import { checkTls, type TlsOptions } from "./http/server-options.ts";
import { createLanes, type Lanes } from "./lanes/lanes.ts";
import { type GatewayLimits, timeoutCheckMsOf } from "./limits.ts";
import type { ServedService } from "./methods.ts";
import { OpenStreams } from "./open-streams.ts";
import { createIndexPage } from "./pages/index-page.ts";
import { readJsonBody } from "./pages/json-body.ts";
import { createPages, type PagesOptions } from "./pages/pages.ts";
import { createReflection } from "./reflection/reflection.ts";
import type { UnknownMembers } from "./rest/json-message.ts";
import { createNearestPath } from "./rest/nearest-path.ts";
import { refuseMethod } from "./rest/refuse-method.ts";
import { createRestRouter } from "./rest/rest.ts";
import { encodeError } from "./rest/status.ts";
import { dropForeignCookies } from "./sessions/cookie.ts";
import { readHead } from "./sites/head.ts";
import { createSites, type SitesOptions } from "./sites/sites.ts";
import { createTargets } from "./sites/target.ts";

export interface GatewayOptions {
  readonly services: readonly ServedService[];
  /** Run around every call, outermost first. They see the `Call` itself: see compileUnary. */
  readonly interceptors?: readonly Interceptor[];
  readonly limits: GatewayLimits;
  readonly authorize: Authorize;
  readonly observers: readonly CallObserver[];
  readonly reportFault: ReportFault;
  /** REST forms of message types that differ from proto3 JSON. */
  readonly codecs?: RestCodecs;
  readonly pages: Omit<PagesOptions, "isDraining"> & {
    /** The path of a page to which `/` redirects browsers. */
    readonly home?: string;
  };
  readonly tls?: TlsOptions;
  /** The treatment of unknown members of JSON bodies; by default they are refused. */
  readonly unknownMembers?: UnknownMembers;
  /** The rules for calls from pages of other sites; by default they may only make calls that require a key. */
  readonly sites?: SitesOptions;
  /** False sends every call through Connect's own handlers; both ways give the same responses. */
  readonly lanes?: boolean;
}

/** What may change while a gateway runs. The limits of headers do not. */
export type GatewaySettings = Pick<GatewayOptions, "limits" | "sites">;

export interface Gateway {
  readonly health: Health;
  /** Returns a transport of calls that a request makes within this process, see createInnerCalls. */
  callsOf(origin: CallOrigin): Transport;
  /** Reads the JSON body of a request to an endpoint, within the limits of calls. @throws ConnectError */
  readJsonBody(request: NodeRequest, maxBytes: number): Promise<unknown>;
  listen(host: string, port: number): Promise<AddressInfo>;
  /**
   * Prepares other limits and rules, and returns the function that puts them into effect. Calls in progress keep those
   * that they began with, and open connections their limits.
   */
  prepare(settings: GatewaySettings): () => void;
  /** Prepares another certificate for new connections. Whether clients present one stays the same. @throws Error */
  prepareTls(tls: TlsOptions): () => void;
  /** Ends the streaming calls whose callers may not make them any more. */
  recheckStreams(): Promise<void>;
  /** Reports that it stops, lets calls finish for up to `drainMs`, then ends the others. */
  drain(drainMs: number): Promise<void>;
}

/** Creates a gateway: all protocols on one port, for one set of services. Does no I/O before `listen`. */
export function createGateway(options: GatewayOptions): Gateway {
  const shutdown = new AbortController();
  const health = createHealth(options.services.map((service) => service.desc.typeName));
  const services = [...options.services, health.served];
  const shared = {
    services: [...services, ...createReflection(services)],
    interceptors: options.interceptors ?? [],
    unknownMembers: options.unknownMembers ?? "refuse",
    authorize: createAuthorize(options.authorize),
    observer: allObservers(options.observers),
    reportFault: options.reportFault,
    openBytes: new OpenBytes(options.limits),
    streams: new OpenStreams(),
    shutdownSignal: shutdown.signal,
  } as const;
  const compile = (settings: GatewaySettings): Compiled =>
    compileGateway({ ...shared, limits: settings.limits }, health, { ...options, ...settings });
  let current = compile(options);
  const end = (): void => {
    const reason = new ConnectError("the server is shutting down", Code.Unavailable);
    shutdown.abort(reason);
    shared.streams.endAll(reason);
  };
  const connections = new Connections(options.limits);
  const sweeping = createSweeping([connections, shared.openBytes]);
  const port = createPort({
    limits: options.limits,
    connections,
    openBytes: shared.openBytes,
    ...(options.tls && { tls: options.tls }),
    onStream: (stream, headers, pass) => current.onStream(stream, headers, pass),
    onRequest: (request, response) => current.onRequest(request, response),
  });
  return {
    health,
    callsOf: (origin) => current.callsOf(origin),
    readJsonBody: (request, maxBytes) => readJsonBody(request, maxBytes, current.context),
    listen(host, number) {
      sweeping.start(current.context.limits);
      return port.listen(host, number);
    },
    prepare(settings) {
      const next = compile(settings);
      return () => {
        const { limits } = settings;
        current = next;
        shared.openBytes.setLimits(limits);
        connections.setLimits(limits);
        port.setLimits(limits);
        sweeping.start(limits);
      };
    },
    prepareTls(tls) {
      checkTls(tls);
      return () => port.setTls(tls);
    },
    recheckStreams: () =>
      shared.streams.recheck(({ record, served, header, enter }) => {
        shared.authorize(record, served, header);
        if (record.caller.kind === "anonymous") enter?.();
      }),
    async drain(drainMs) {
      health.drain();
      // Streams that do not end by themselves get the last tenth of the time for their last message.
      const timer = setTimeout(end, drainMs * 0.9);
      await port.drain(drainMs);
      clearTimeout(timer);
      sweeping.stop();
      end();
    },
  };
}

/** Checks regularly what takes too long. */
function createSweeping(swept: readonly { sweep(nowMs: number): void }[]) {
  let timer: NodeJS.Timeout | undefined;
  return {
    start(limits: GatewayLimits): void {
      clearInterval(timer);
      timer = setInterval(() => {
        const nowMs = performance.now();
        for (const one of swept) one.sweep(nowMs);
      }, timeoutCheckMsOf(limits)).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}

function createAuthorize(authorize: Authorize): Authorize {
  return (record, served, header) => {
    authorize(record, served, header);
    if (record.protocol !== "rest") served.admitCaller?.(record.caller);
  };
}

/** What serves calls by one set of limits and rules. */
interface Compiled extends Pick<PortOptions, "onStream" | "onRequest">, Pick<Gateway, "callsOf"> {
  readonly context: GatewayContext;
}

function compileGateway(context: GatewayContext, health: Health, options: GatewayOptions): Compiled {
  const lanes = options.lanes === false ? undefined : createLanes(context);
  return {
    context,
    onStream: lanes?.onStream ?? (() => false),
    onRequest: createDispatch(context, health, options, lanes),
    callsOf: createInnerCalls(context),
  };
}

type Serve = (request: NodeRequest, response: NodeResponse, path: string) => boolean;

function createDispatch(
  gateway: GatewayContext,
  health: Health,
  options: GatewayOptions,
  lanes: Lanes | undefined,
): (request: NodeRequest, response: NodeResponse) => void {
  const adapter = createAdapter(gateway);
  const rest = createRestRouter(gateway, { codecs: options.codecs ?? new Map() });
  const own = { ...options.pages.pages };
  const paths = [
    "/healthz",
    "/readyz",
    "/metrics",
    ...Object.keys(own).filter((path) => !/^\/.+\//.test(path)),
    ...(options.pages.folders ?? []).map(({ path }) => path),
  ];
  const pages = createPages({
    ...options.pages,
    isDraining: () => health.isDraining,
    pages: { ...own, "/": createIndexPage(gateway.services, rest.routes, paths, options.pages.home) },
  });
  const nearest = createNearestPath(gateway.services, rest.routes);
  const admit = createSites(options.sites ?? noSites, createTargets(gateway.services, rest));
  const servers: Serve[] = [
    ...(lanes === undefined ? [] : [lanes.onRequest]),
    adapter,
    (request, response, path) => pages.serve(path, request, response),
    (request, response) => rest.handle(request, response),
  ];
  const methods = ["GET", "HEAD", "POST", ...rest.routes.map(({ httpMethod }) => httpMethod)];
  return (request, response) => {
    const head = readHead(request);
    if (typeof head === "string") {
      refuseHead(request, response, head);
      return;
    }
    const target = request.url ?? "/";
    const query = target.indexOf("?");
    const path = query < 0 ? target : target.slice(0, query);
    if (!admit(request, response, path, head)) return;
    dropForeignCookies(request, head);
    // The methods of the whole server: https://www.rfc-editor.org/rfc/rfc9110#section-9.3.7
    if (path === "*" && request.method === "OPTIONS") {
      refuseMethod(request, response, { path, methods });
      return;
    }
    for (const serve of servers) if (serve(request, response, path)) return;
    refuse(request, response as ServerResponse, path, nearest(path));
  };
}

const noSites: SitesOptions = { hosts: [], cors: [], asksForKeys: false };

function refuseHead(request: NodeRequest, response: NodeResponse, problem: string): void {
  const error = new ConnectError(problem, Code.InvalidArgument);
  sendResponse(request, response, encodeError(error));
}

function refuse(request: NodeRequest, response: ServerResponse, path: string, nearest: string): void {
  const type = request.headers["content-type"];
  if (type?.startsWith("application/grpc")) {
    const head = {
      "content-type": type,
      "grpc-status": String(Code.Unimplemented),
      "grpc-message": encodeURI(`there is no method ${path}${nearest}: server reflection lists them`),
    };
    // The status counts as one only in the frame that ends the stream.
    if ("stream" in response) {
      (response as unknown as Http2ServerResponse).stream.respond(
        { ":status": 200, ...head },
        { endStream: true },
      );
    } else response.writeHead(200, head).end();
    return;
  }
  const message = `nothing is served at ${shorten(path)}${nearest}: / lists what is, and /docs describes it`;
  const error = new ConnectError(message, Code.NotFound);
  sendResponse(request, response, encodeError(error));
}
