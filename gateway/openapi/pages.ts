import { readFile } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { compressAnswer } from "../compress.ts";
import type { Page, PageHandler } from "../pages.ts";
import type { NodeRequest } from "../port.ts";
import { docsFile, docsFiles } from "./docs-files.ts";

/**
 * `/openapi.json` and, under `/docs`, swagger-ui with that document. Everything
 * comes from this server: the files of the package that are named here, and no
 * others. `describe` is called once, when the document is first asked for.
 */
export function createApiPages(describe: () => Promise<JsonObject>): Readonly<Record<string, PageHandler>> {
  let document: Promise<string> | undefined;
  return {
    "/openapi.json": async (request) => {
      document ??= describe().then((description) => JSON.stringify(description));
      return compressed(request, {
        contentType: "application/json",
        body: await document,
        headers: checkedEachTime,
      });
    },
    "/docs": () => ({ contentType: "text/html; charset=utf-8", body: html, headers: docsHeaders }),
    "/docs/start.js": () => ({ contentType: scriptType, body: script, headers: checkedEachTime }),
    ...Object.fromEntries(
      Object.entries(docsFiles).map(([name, contentType]) => [
        `/docs/${name}`,
        createFilePage(name, contentType),
      ]),
    ),
  };
}

const scriptType = "text/javascript; charset=utf-8";
const checkedEachTime = { "cache-control": "no-cache" } as const;

/** Nothing from elsewhere, nothing inline, no frames around it. swagger-ui draws its icons from data URLs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self'",
].join("; ");

const docsHeaders = {
  ...checkedEachTime,
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
} as const;

// The base of relative links is "/", for the page has no slash at its end.
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const script = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null });
`;

/** They change with the package only, which is not every day. */
const fileHeaders = { "cache-control": "public, max-age=86400" } as const;

/** Reads the file when it is first asked for, and keeps it. */
function createFilePage(name: string, contentType: string): PageHandler {
  let body: Promise<Buffer> | undefined;
  return async (request) => {
    body ??= readFile(docsFile(name));
    return compressed(request, { contentType, body: await body, headers: fileHeaders });
  };
}

const compressMinBytes = 4_096;

async function compressed(request: NodeRequest, page: Page): Promise<Page> {
  const { headers, body } = await compressAnswer(
    { status: 200, headers: {}, body: page.body },
    request,
    compressMinBytes,
  );
  const added = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { ...page, body, headers: { ...page.headers, ...Object.fromEntries(added) } };
}
