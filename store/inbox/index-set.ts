/** More elements than a body can hold. */
const maxIndex = 16_777_216;
const rangePattern = /^(\d{1,8})(?:-(\d{1,8}))?$/;

/** Encodes ascending element indexes as ranges: `0-99,105`. */
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

/**
 * Decodes what `encodeIndexes` returns.
 * @throws RangeError for other texts
 */
export function decodeIndexes(text: string): number[] {
  const indexes: number[] = [];
  for (const range of text === "" ? [] : text.split(",")) {
    const [, first = "", last = first] = rangePattern.exec(range) ?? [];
    if (first === "" || Number(last) >= maxIndex || Number(last) < Number(first)) {
      throw new RangeError(`element indexes ${JSON.stringify(text.slice(0, 40))} are not a list of ranges`);
    }
    for (let index = Number(first); index <= Number(last); index++) indexes.push(index);
  }
  return indexes;
}
