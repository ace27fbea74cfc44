import { varyWith } from "../http/http.ts";
import type { ServedService } from "../methods.ts";
import type { RestBinding } from "../rest/bindings.ts";
import type { Page, PageHandler } from "./pages.ts";

/** The contents of a server that its first page lists. */
interface Listing {
  /** Pages by their path. */
  readonly pages: readonly string[];
  /** `GET /v1/books` and so on. */
  readonly rest: readonly string[];
  /** Full names; each method is called as `/package.Service/Method`. */
  readonly services: readonly string[];
}

/**
 * `/`: what is served here, as HTML for browsers and as JSON for all else.
 * @param home the path to which browsers are redirected instead
 */
export function createIndexPage(
  services: readonly ServedService[],
  routes: readonly RestBinding[],
  pages: readonly string[],
  home?: string,
): PageHandler {
  const listing: Listing = {
    pages: [...pages].sort(),
    rest: routes.map(({ httpMethod, template }) => `${httpMethod} ${template.text}`),
    services: services.map(({ desc }) => desc.typeName),
  };
  return (request) => {
    const vary = varyWith(request, "accept");
    if (!/\btext\/html\b/.test(request.headers.accept ?? "")) return jsonPage(listing, vary);
    return home === undefined ? htmlPage(listing, vary) : redirect(home, vary);
  };
}

/** The location is relative, so that it also holds below a path of a proxy. */
function redirect(path: string, vary: string): Page {
  const headers = { location: path.slice(1), "cache-control": "no-store", vary };
  return { status: 303, contentType: "text/plain; charset=utf-8", body: "", headers };
}

function jsonPage(listing: Listing, vary: string): Page {
  return { contentType: "application/json", body: JSON.stringify(listing), headers: { vary } };
}

function htmlPage({ pages, rest, services }: Listing, vary: string): Page {
  const body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>API</title>
  </head>
  <body>
    <h1>What is served here</h1>
    <h2>Pages</h2>
    <ul>${pages.map((path) => item(`<a href="${path.slice(1)}">${path}</a>`)).join("")}</ul>
    <h2>REST</h2>
    <ul>${rest.map((route) => item(`<code>${route}</code>`)).join("")}</ul>
    <h2>gRPC, gRPC-Web and Connect</h2>
    <ul>${services.map((name) => item(`<code>${name}</code>`)).join("")}</ul>
  </body>
</html>
`;
  return {
    contentType: "text/html; charset=utf-8",
    body,
    headers: {
      "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      vary,
    },
  };
}

/** Paths and names of the contract have no character that HTML would need escaped. */
function item(html: string): string {
  return `<li>${html}</li>`;
}
