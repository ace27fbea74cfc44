import { join } from "node:path";
import { loadOnce } from "../../../base/async/load-once.ts";
import { packageRoot } from "../../../base/package/root.ts";
import { hintNearest } from "../../../base/text/known-names.ts";
import type { Page, PageFolder } from "../../../gateway/pages/pages.ts";

/** The path at which the documentation is served. The path without the slash has the reference of the API. */
export const docsPath = "/docs/";

/**
 * Creates the pages of the documentation, which are the Markdown files of `docs/`. Nothing is read, and no renderer is
 * loaded, before the first request.
 */
export function createDocs(folder = join(packageRoot, "docs")): PageFolder {
  const load = loadOnce(async () => {
    const { openSite } = await import("./site.ts");
    return await openSite(folder);
  });
  return {
    path: docsPath,
    pageAt: (rest) => async (request) => {
      const pages = await load();
      return (await pages.get(rest)?.(request)) ?? notFound(rest, [...pages.keys()]);
    },
  };
}

function notFound(rest: string, paths: readonly string[]): Page {
  const hint = hintNearest(rest, paths, (path) => docsPath + path);
  const message = `the documentation has no page ${docsPath}${rest}${hint}: ${docsPath} lists its pages`;
  return {
    status: 404,
    contentType: "application/json",
    body: JSON.stringify({ code: 5, message, details: [] }),
    headers: { "cache-control": "no-store" },
  };
}
