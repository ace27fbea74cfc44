/** The words of a line as records; some lines misbehave on purpose. */
export function parse(line: string, index: string): unknown {
  if (line === "throw") throw new Error("no such word");
  if (line === "promise") return Promise.resolve({});
  if (line === "rejection") return Promise.reject(new Error("nobody takes this"));
  if (line === "rejections") return [Promise.reject(new Error("nor this")), Promise.reject(new Error("nor that"))];
  if (line === "bigint") return { n: 1n };
  if (line === "text") return "text";
  if (line === "toJSON") return { toJSON: () => 5 };
  if (line === "skip") return null;
  const words = line.split(" ");
  return words.length === 1 ? { word: line, index } : words.map((word) => ({ word }));
}
