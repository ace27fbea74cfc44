import { readFile } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { contentSecurityPolicy } from "../pages/content-security-policy.ts";
import { createFixedPage } from "../pages/fixed-page.ts";
import type { PageHandler } from "../pages/pages.ts";
import { docsFile, docsFiles } from "./docs-files.ts";

/**
 * Creates `/openapi.json` and, under `/docs`, swagger-ui with that document. The server serves all files itself, and
 * only the files of the package that are listed here. `describe` is called once, at the first request for the document.
 */
export function createApiPages(describe: () => Promise<JsonObject>): Readonly<Record<string, PageHandler>> {
  return {
    "/openapi.json": createFixedPage(
      async () => Buffer.from(JSON.stringify(await describe())),
      "application/json",
      checkedEachTime,
    ),
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

const docsHeaders = {
  ...checkedEachTime,
  // swagger-ui draws its icons from data URLs, and makes markup.
  "content-security-policy": contentSecurityPolicy({ images: "'self' data:", isMarkupMade: true }),
  "referrer-policy": "no-referrer",
} as const;

// The base of relative links is "/", since the URL of the page has no slash at its end.
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

/** The files change only with a new version of the package. */
const fileHeaders = { "cache-control": "public, max-age=86400" } as const;

function createFilePage(name: string, contentType: string): PageHandler {
  return createFixedPage(() => readFile(docsFile(name)), contentType, fileHeaders);
}
