/** Makes a text of about `length` characters. */
export type Shape = (length: number) => string;

const repeat =
  (piece: string): Shape =>
  (length) =>
    piece.repeat(Math.ceil(length / piece.length));

/** Pieces that differ, joined by commas. */
const list = (open: string, close: string, piece: (at: number) => string): Shape => {
  const average = `${piece(50_000)},`.length;
  return (length) =>
    open + Array.from({ length: Math.ceil(length / average) }, (_, at) => piece(at)).join() + close;
};

/** Upper and lower case by the bits of a number. */
const mixedCase = (at: number): string =>
  Array.from({ length: 16 }, (_, bit) => ((at >> bit) & 1 ? "A" : "a")).join("");

/** JSON values, good and bad, each in the way in which some reader may be slow. */
export const jsonShapes: Readonly<Record<string, Shape>> = {
  "lists within lists": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
  "objects within objects": (length) => `${'{"a":'.repeat(length / 6)}1${"}".repeat(length / 6)}`,
  "lists that never end": repeat("["),
  "empty lists": list("[", "]", () => "[]"),
  "empty objects": list("[", "]", () => "{}"),
  ones: list("[", "]", () => "1"),
  "long numbers": list("[", "]", (at) => `9007199254${at + 100_000}993`),
  "one number": (length) => "1".repeat(length),
  fractions: list("[", "]", (at) => `${at}.${at}1e-7`),
  texts: list("[", "]", (at) => `"text ${at}"`),
  nulls: list("[", "]", () => "null"),
  members: list("{", "}", (at) => `"m${at}":1`),
  "the same member": list("{", "}", () => '"a":1'),
  "members in mixed case": list("{", "}", (at) => `"${mixedCase(at)}":1`),
  "members of long numbers": list("{", "}", (at) => `"m${at}":9007199254740993`),
  "numbers as members": list("{", "}", (at) => `"${at}":"1"`),
  "one long member": (length) => `{"${"m".repeat(length)}":1}`,
  "one text": (length) => `"${"x".repeat(length)}"`,
  escapes: (length) => `"${"\\u0041".repeat(length / 6)}"`,
  backslashes: (length) => `"${"\\\\".repeat(length / 2)}"`,
  "text of two bytes": (length) => `"${"é".repeat(length / 2)}"`,
  "a text without end": (length) => `"${"x".repeat(length)}`,
  spaces: repeat(" "),
  "objects of a few members": list("[", "]", (at) => `{"a":${at},"b":"x","c":[1,2],"d":{"e":null}}`),
  "a fault at the end": (length) => `${list("[", "]", () => "1")(length)}]`,
};

/** Forms, as SDKs of browsers send them. */
export const formShapes: Readonly<Record<string, Shape>> = {
  "names alone": repeat("&a"),
  "empty pairs": repeat("&"),
  pairs: repeat("a=b&"),
  "different pairs": list("", "", (at) => `a${at}=b&`),
  "equals signs": repeat("="),
  "escaped letters": (length) => `data=${"%41".repeat(length / 3)}`,
  "broken escapes": (length) => `data=${"%".repeat(length)}`,
  "plus signs": (length) => `data=${"+".repeat(length)}`,
  base64: (length) => `data=${"QUFB".repeat(length / 4)}`,
  "no base64": (length) => `data=${"_-.~".repeat(length / 4)}`,
};

/** One line of a log. */
export const lineShapes: Readonly<Record<string, Shape>> = {
  spaces: repeat(" "),
  quotes: repeat('"'),
  "escaped quotes": repeat('\\"'),
  brackets: repeat("["),
  "bracketed words": repeat("[a] "),
  pairs: repeat("a=b "),
  "quoted pairs": repeat('a="b" '),
  "equals signs": repeat("="),
  bars: repeat("|"),
  commas: repeat(","),
  digits: repeat("1"),
  letters: repeat("a"),
  bytes: repeat("\x01"),
  "structured data": repeat('[a b="c"]'),
  members: list("{", "}", (at) => `"m${at}":1`),
  "members of members": list("{", "}", (at) => `"m${at}":{"n":[${at},"x"]}`),
  "lists within lists": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
  escapes: (length) => `{"a":"${"\\u0041".repeat(length / 6)}"}`,
};
