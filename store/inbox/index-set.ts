/** The stored form of ascending element indexes: `0-99,105`. */
export function encodeIndexes(indexes: readonly number[]): string {
  const ranges: string[] = [];
  for (let i = 0; i < indexes.length; i++) {
    const first = indexes[i]!;
    while (i + 1 < indexes.length && indexes[i + 1] === indexes[i]! + 1) i++;
    const last = indexes[i]!;
    ranges.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return ranges.join(",");
}

export function decodeIndexes(text: string): number[] {
  const indexes: number[] = [];
  for (const range of text === "" ? [] : text.split(",")) {
    const [first = "", last = first] = range.split("-");
    for (let index = Number(first); index <= Number(last); index++) indexes.push(index);
  }
  return indexes;
}
