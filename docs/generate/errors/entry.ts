/** What an error means and what to do about it. */
export interface Entry {
  readonly cause: string;
  readonly action: string;
}

/** Creates an entry. */
export const because = (cause: string, action: string): Entry => ({ cause, action });
