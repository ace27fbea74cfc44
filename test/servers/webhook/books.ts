import { expect, vi } from "vitest";

export interface Books {
  readonly accepted: number;
  readonly delivered: number;
  readonly dead: number;
  readonly pending: number;
}

/** Returns the totals of GetStats over all channels and targets. */
export async function readBooks({ port }: { readonly port: number }): Promise<Books> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/webhook/stats`);
  expect(response.status).toBe(200);
  const { targets = [] } = (await response.json()) as { targets?: Partial<Record<keyof Books, string>>[] };
  const sum = (field: keyof Books): number =>
    targets.reduce((total, target) => total + Number(target[field] ?? 0), 0);
  const books = {
    accepted: sum("accepted"),
    delivered: sum("delivered"),
    dead: sum("dead"),
    pending: sum("pending"),
  };
  expect(books.delivered + books.dead + books.pending).toBe(books.accepted);
  return books;
}

/** The books as soon as nothing is pending any more. */
export async function settledBooks(engage: { readonly port: number }): Promise<Books> {
  return await vi.waitFor(
    async () => {
      const books = await readBooks(engage);
      expect(books.pending).toBe(0);
      return books;
    },
    { timeout: 90_000, interval: 100 },
  );
}
