type Tell = (...what: never[]) => void;

/** One observer that tells two of the same kind. */
export function tellBoth<T extends { readonly [name in keyof T]: Tell }>(first: T, second: T): T {
  const names = Object.keys(first) as (keyof T)[];
  const tell = names.map((name): [keyof T, Tell] => [
    name,
    (...what) => {
      first[name](...what);
      second[name](...what);
    },
  ]);
  return Object.fromEntries(tell) as unknown as T;
}
