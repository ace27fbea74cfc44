/** What every page gets from the place that it is at. */
export interface PageProps {
  /** The segments of the path after the page's own. */
  readonly rest: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}
