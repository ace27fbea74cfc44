import type { Request } from "./generate-request.ts";

const maxAttempts = 300;

/** Leaves out of a request whatever it still fails without. */
export async function shrink(
  request: Request,
  stillFails: (request: Request) => Promise<boolean>,
): Promise<Request> {
  let smallest = request;
  let attempts = 0;
  for (let cuts = cutsOf(smallest); cuts.length > 0; ) {
    const cut = cuts.shift()!;
    if (++attempts > maxAttempts) break;
    if (!(await stillFails(cut))) continue;
    smallest = cut;
    cuts = cutsOf(smallest);
  }
  return smallest;
}

/** The request without one of its parts, large parts first. */
function cutsOf(request: Request): Request[] {
  return pathsOf(request)
    .sort((a, b) => a.length - b.length)
    .map((path) => without(request, path));
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => {
    const inner = (value as Record<string | number, unknown>)[key];
    return [[key], ...pathsOf(inner).map((path) => [key, ...path])];
  });
}

function without(request: Request, path: Path): Request {
  const copy = structuredClone(request);
  const parent = path.slice(0, -1).reduce<unknown>((from, key) => (from as Request)[key], copy);
  const last = path.at(-1)!;
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Request)[last];
  return copy;
}
