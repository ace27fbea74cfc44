/** Runs pieces of work in sequence, in the order of the calls. */
export type Serial = <T>(work: () => Promise<T>) => Promise<T>;

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
