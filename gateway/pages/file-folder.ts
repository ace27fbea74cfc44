import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { accepts, compressOnce, compressResponse } from "../http/compress.ts";
import { varyWith } from "../http/http.ts";
import type { Page, PageFolder, PageHandler } from "./pages.ts";

export interface FileFolderOptions {
  /** The path of the folder on the server, such as `/console/`. */
  readonly path: string;
  /**
   * The folder on the disk. `index.html` is the page at the path itself; `NAME.br` is the compressed form of `NAME`.
   */
  readonly folder: string;
  /** Subfolder of files whose names change with their contents. */
  readonly hashedFolder: string;
  /** Headers of HTML pages, such as their Content-Security-Policy. */
  readonly pageHeaders: Readonly<Record<string, string>>;
}

interface LoadedFile {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tag: string;
  readonly body: Buffer;
  /** Undefined if the build has not compressed it. */
  readonly brotli: Buffer | undefined;
  readonly compress: ReturnType<typeof compressOnce>;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
};

const unchanging = { "cache-control": "public, max-age=31536000, immutable" } as const;
const checkedEachTime = { "cache-control": "no-cache" } as const;
/** Smaller files are not compressed for callers that accept gzip alone. */
const gzipMinBytes = 1_024;

/**
 * Creates the pages of a folder of built files. The folder is listed at the first request, and each file is read when
 * it is first requested and kept, so that a server starts without them. Only files of that list are served.
 */
export function createFileFolder(options: FileFolderOptions): PageFolder {
  const files = new Map<string, Promise<LoadedFile>>();
  let listing: Promise<ReadonlySet<string>> | undefined;
  const serve = async (name: string, request: Parameters<PageHandler>[0]): Promise<Page> => {
    listing ??= listFiles(options.folder);
    const names = await listing;
    if (!names.has(name)) return notFound(options.path + name);
    const loading = files.get(name) ?? loadFile(options, names, name);
    files.set(name, loading);
    return respond(await loading, request);
  };
  return {
    path: options.path,
    pageAt: (rest) => (request) => serve(rest === "" ? "index.html" : rest, request),
  };
}

/** Returns the names of the files, with slashes. */
async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Set(paths.map((path) => relative(folder, path).split(sep).join("/")));
}

async function loadFile(
  { folder, hashedFolder, pageHeaders }: FileFolderOptions,
  names: ReadonlySet<string>,
  name: string,
): Promise<LoadedFile> {
  const contentType = contentTypes[extname(name)] ?? "application/octet-stream";
  const [body, brotli] = await Promise.all([
    readFile(join(folder, name)),
    names.has(`${name}.br`) ? readFile(join(folder, `${name}.br`)) : undefined,
  ]);
  return {
    contentType,
    headers: {
      ...(name.startsWith(`${hashedFolder}/`) ? unchanging : checkedEachTime),
      ...(contentType.startsWith("text/html") && pageHeaders),
    },
    // The tag is weak, since all encodings of the file have it.
    tag: `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`,
    body,
    brotli,
    compress: compressOnce(),
  };
}

async function respond(file: LoadedFile, request: Parameters<PageHandler>[0]): Promise<Page> {
  const { contentType, body, brotli, tag } = file;
  const headers = { ...file.headers, etag: tag, vary: varyWith(request, "accept-encoding") };
  if (hasTag(request.headers["if-none-match"], tag)) return { status: 304, contentType, body: "", headers };
  if (brotli !== undefined && accepts(request, "br"))
    return { contentType, body: brotli, headers: { ...headers, "content-encoding": "br" } };
  const whole = { status: 200, headers: {}, body };
  const compressed = await compressResponse(whole, request, gzipMinBytes, file.compress);
  const encoding = compressed.headers["content-encoding"];
  return {
    contentType,
    body: compressed.body,
    headers: { ...headers, ...(encoding !== undefined && { "content-encoding": String(encoding) }) },
  };
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2: the comparison is weak. */
function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const opaque = tag.slice(2);
  return header.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}

function notFound(path: string): Page {
  const message = `there is no file ${JSON.stringify(path.slice(0, 100))}`;
  return {
    status: 404,
    contentType: "application/json",
    body: JSON.stringify({ code: 5, message, details: [] }),
    headers: { "cache-control": "no-store" },
  };
}
