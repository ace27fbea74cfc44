/** The number of events that are listed for a column. */
const maxListed = 100;

interface Carrier {
  readonly event: string;
  readonly count: number;
}

/** Collects the events with a value of a column. */
export class Carriers {
  /** The most frequent first; the first of those with equal counts. */
  readonly #listed: Carrier[] = [];
  #events = 0;
  #count = 0;

  add(event: string, count: number): void {
    if (count === 0) return;
    this.#events++;
    this.#count += count;
    const listed = this.#listed;
    if (listed.length === maxListed && listed.at(-1)!.count >= count) return;
    const at = listed.findIndex((one) => one.count < count);
    listed.splice(at < 0 ? listed.length : at, 0, { event, count });
    if (listed.length > maxListed) listed.pop();
  }

  found(): { readonly count: number; readonly eventCount: number; readonly events: readonly string[] } {
    return {
      count: this.#count,
      eventCount: this.#events,
      events: this.#listed.map(({ event }) => event),
    };
  }
}
