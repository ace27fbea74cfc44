/** Returns the elements of a JSON array exactly as they are written. */
export function elementsOf(json: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  const take = (end: number): void => {
    const text = json.slice(start, end).trim();
    if (text !== "") found.push(text);
    start = end + 1;
  };
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === "[" || character === "{") {
      depth++;
      if (depth === 1) start = at + 1;
    } else if (character === "]" || character === "}") {
      if (depth === 1) take(at);
      depth--;
    } else if (character === "," && depth === 1) take(at);
  }
  return found;
}

/** Returns the place of the quotation mark that ends a string. */
function endOfString(json: string, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at;
  }
  return json.length;
}

/** Returns why elements were not accepted, by their numbers from 1, as a reply says it. */
export function failuresOf(reply: string | undefined): ReadonlyMap<number, string> {
  const list = readFailList(reply ?? "");
  return new Map(list.map(({ index, message }) => [Number(index), String(message)]));
}

interface Failure {
  readonly index?: unknown;
  readonly message?: unknown;
}

function readFailList(reply: string): readonly Failure[] {
  try {
    const { data } = JSON.parse(reply) as { readonly data?: { readonly fail_list?: readonly Failure[] } };
    return data?.fail_list ?? [];
  } catch {
    return [];
  }
}
