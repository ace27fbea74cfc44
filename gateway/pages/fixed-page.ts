import { loadOnce } from "../../base/async/load-once.ts";
import { compressOnce, compressResponse } from "../http/compress.ts";
import type { PageHandler } from "./pages.ts";

const compressMinBytes = 4_096;

/** Creates a page whose body is loaded at the first request and kept, also compressed, since requests need no key. */
export function createFixedPage(
  load: () => Promise<Buffer>,
  contentType: string,
  own: Readonly<Record<string, string>>,
): PageHandler {
  const compress = compressOnce();
  const loaded = loadOnce(load);
  return async (request) => {
    const response = { status: 200, headers: {}, body: await loaded() };
    const { headers, body } = await compressResponse(response, request, compressMinBytes, compress);
    const added = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    return { contentType, body, headers: { ...own, ...Object.fromEntries(added) } };
  };
}
