import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { ConnectError } from "@connectrpc/connect";
import { oncePerIteration } from "../../base/async/once-per-iteration.ts";
import { isReadyWith, type ReadyCheck, runChecks } from "../health/ready-checks.ts";
import { endUnreadRequest } from "../http/send.ts";

type PageRequest = IncomingMessage | Http2ServerRequest;
type PageResponse = ServerResponse | Http2ServerResponse;

/** The response of a page to GET; HEAD gets the same without the body. */
export interface Page {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type PageHandler = (request: PageRequest) => Page | Promise<Page>;

/** What responds at a path to other methods than GET and HEAD. It reads the body of a request itself. */
export interface Endpoint {
  /** In capitals. */
  readonly methods: readonly string[];
  readonly respond: PageHandler;
}

/** The pages at all paths that start with one. */
export interface PageFolder {
  /** Ends with a slash. */
  readonly path: string;
  /** Returns the page at the rest of a path. */
  readonly pageAt: (rest: string) => PageHandler;
}

export interface PagesOptions {
  readonly isDraining: () => boolean;
  /** Returns the checks, by the names that `/readyz` shows. */
  readonly checks: () => Readonly<Record<string, ReadyCheck>>;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Throws UNAUTHENTICATED for requests that may not see the metrics; by default all may. */
  readonly requireMetricsKey?: (request: PageRequest) => void;
  /** Further pages by their exact path. */
  readonly pages?: Readonly<Record<string, PageHandler>>;
  readonly folders?: readonly PageFolder[];
  /** By their exact path. */
  readonly endpoints?: Readonly<Record<string, Endpoint>>;
  /** Receives what a page throws; its caller gets "internal error". */
  readonly reportFault: (error: unknown, path: string) => void;
}

export interface Pages {
  /** Serves a page if it exists, else returns false. `path` has no query. */
  serve(path: string, request: PageRequest, response: PageResponse): boolean;
}

const pageMethods: readonly string[] = ["GET", "HEAD"];
const noStore = { "cache-control": "no-store" };

/** Creates `/healthz` (the process responds), `/readyz` (it accepts calls), `/metrics` and the given pages. */
export function createPages(options: PagesOptions): Pages {
  // These two need no key, and one packet of HTTP/2 may hold many requests for them.
  const readinessOf = oncePerIteration(() => readiness(options));
  const metricsOf = oncePerIteration(() => options.metrics.text());
  const handlers = new Map<string, PageHandler>([
    ["/healthz", () => json(200, { status: "ok" })],
    ["/readyz", readinessOf],
    ["/metrics", (request) => metricsPage(options, request, metricsOf)],
    ...Object.entries(options.pages ?? {}),
  ]);
  const { folders = [] } = options;
  const endpoints = new Map(Object.entries(options.endpoints ?? {}));
  const findInFolder = (path: string): PageHandler | undefined => {
    const folder = folders.find((one) => `${path}/`.startsWith(one.path));
    if (folder === undefined) return undefined;
    return path.length < folder.path.length
      ? toFolder(folder)
      : folder.pageAt(path.slice(folder.path.length));
  };
  return {
    serve(path, request, response) {
      const endpoint = endpoints.get(path);
      const handler = endpoint?.respond ?? handlers.get(path) ?? findInFolder(path);
      if (handler === undefined) return false;
      const methods = endpoint?.methods ?? pageMethods;
      if (methods.includes(request.method ?? "")) {
        void serve(handler, path, request, response, options.reportFault);
      } else {
        const only = `${methods.slice(0, -1).join(", ")} and ${methods.at(-1)}`;
        const refusal = json(405, { code: 12, message: `${path} takes ${only} only`, details: [] });
        send(request, response, { ...refusal, headers: { ...noStore, allow: methods.join(", ") } });
      }
      return true;
    },
  };
}

/** Redirects to the path with the slash. The location is relative, so that it also holds below a path of a proxy. */
function toFolder({ path }: PageFolder): PageHandler {
  const location = `${path.slice(0, -1).split("/").at(-1)}/`;
  const page = { status: 308, contentType: "text/plain; charset=utf-8", body: "", headers: { location } };
  return () => page;
}

async function serve(
  handler: PageHandler,
  path: string,
  request: PageRequest,
  response: PageResponse,
  reportFault: PagesOptions["reportFault"],
): Promise<void> {
  let page: Page;
  try {
    page = await handler(request);
  } catch (error) {
    reportFault(error, path);
    page = json(500, { code: 13, message: "internal error", details: [] });
  }
  send(request, response, page);
}

async function readiness({ isDraining, checks }: PagesOptions): Promise<Page> {
  if (isDraining()) return json(503, { status: "draining" });
  const results = await runChecks(checks());
  const isReady = Object.values(results).every(isReadyWith);
  return json(isReady ? 200 : 503, { status: isReady ? "ready" : "not ready", checks: results });
}

async function metricsPage(
  { metrics, requireMetricsKey }: PagesOptions,
  request: PageRequest,
  textOf: () => Promise<string>,
): Promise<Page> {
  try {
    requireMetricsKey?.(request);
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    const refusal = json(401, { code, message: rawMessage, details: [] });
    return { ...refusal, headers: { ...noStore, "www-authenticate": "Bearer" } };
  }
  return { contentType: metrics.contentType, body: await textOf(), headers: noStore };
}

function json(status: number, value: object): Page {
  return { status, contentType: "application/json", body: JSON.stringify(value), headers: noStore };
}

function send(request: PageRequest, response: PageResponse, page: Page): void {
  // The two kinds of response have the methods used here in common, but not one type for them.
  const target = response as ServerResponse;
  if (target.destroyed) return;
  const body = typeof page.body === "string" ? Buffer.from(page.body) : page.body;
  // An unexpected body, as of a refused POST, is read and discarded so that the connection stays usable.
  request.resume();
  const isUnchanged = page.status === 304;
  target.writeHead(page.status ?? 200, {
    ...page.headers,
    ...(!isUnchanged && { "content-type": page.contentType, "content-length": body.length }),
    "x-content-type-options": "nosniff",
  });
  if (request.method === "HEAD") target.end();
  else target.end(body);
  // The request timeout ends an endless body on HTTP/1.1.
  if ("stream" in request && !request.complete) endUnreadRequest(request);
}
