type Callback = (...values: never[]) => void;

/** Combines two observers of the same kind: each callback calls the first one, then the second. */
export function combineObservers<T extends { readonly [name in keyof T]: Callback }>(first: T, second: T): T {
  const names = Object.keys(first) as (keyof T)[];
  const callbacks = names.map((name): [keyof T, Callback] => [
    name,
    (...values) => {
      first[name](...values);
      second[name](...values);
    },
  ]);
  return Object.fromEntries(callbacks) as unknown as T;
}
