// Finds the modules of the sources. Node looks for each file, for links on the way to it and for the package that it
// belongs to, which takes a sixth of a start from a thousand files. Here most of that is known from the import itself
// or from an earlier one. Imports of other forms, and those of CommonJS, are left to Node.
const { registerHooks } = require("node:module");
const { dirname } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");

const root = `${pathToFileURL(dirname(__dirname)).href}/`;
/** The folders of sources that use the packages of the root, and no others. */
const sources = ["base", "cmd", "docs", "gateway", "gen", "services", "store"];
/** What Node found for the names of packages that sources import. */
const named = new Map();
/** The first importer of each file that was found without looking for it. */
const importers = new Map();
/** Folders of packages with a file that is an ES module. Its neighbours are too, as they are in the same package. */
const folders = new Set();

registerHooks({
  resolve(specifier, context, next) {
    if (!context.conditions.includes("import")) return next(specifier, context);
    if (specifier.startsWith("node:")) return { url: specifier, format: "builtin", shortCircuit: true };
    const { parentURL = "" } = context;
    if (!specifier.startsWith("."))
      return isSource(parentURL) ? findNamed(specifier, context, next) : next(specifier, context);
    const url = new URL(specifier, parentURL).href;
    if (url.endsWith(".ts") && isSource(parentURL) && isSource(url))
      return assume(url, "module-typescript", parentURL);
    return url.endsWith(".js") ? findNeighbour(specifier, url, context, next) : next(specifier, context);
  },
  load(url, context, next) {
    try {
      return next(url, context);
    } catch (error) {
      const importer = importers.get(url);
      if (error.code !== "ENOENT" || importer === undefined) throw error;
      throw notFound(url, importer);
    }
  },
});

function assume(url, format, importer) {
  if (!importers.has(url)) importers.set(url, importer);
  return { url, format, shortCircuit: true };
}

/** Returns the error of Node for a file that does not exist. */
function notFound(url, importer) {
  const [path, from] = [url, importer].map((one) => fileURLToPath(one));
  const error = new Error(`Cannot find module '${path}' imported from ${from}`);
  return Object.assign(error, { code: "ERR_MODULE_NOT_FOUND", url });
}

function isSource(url) {
  if (!url.startsWith(root)) return false;
  const end = url.indexOf("/", root.length);
  return sources.includes(url.slice(root.length, end));
}

function findNamed(specifier, context, next) {
  const known = named.get(specifier);
  if (known !== undefined) return known;
  const found = next(specifier, context);
  named.set(specifier, { ...found, shortCircuit: true });
  return found;
}

function findNeighbour(specifier, url, context, next) {
  const folder = url.slice(0, url.lastIndexOf("/"));
  if (folders.has(folder)) return assume(url, "module", context.parentURL);
  const found = next(specifier, context);
  if (found.url === url && found.format === "module") folders.add(folder);
  return found;
}
