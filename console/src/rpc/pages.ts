import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { KeysetPage } from "./collect-page.ts";
import { type Fault, faultOf } from "./fault.ts";

export interface KeysetPages<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly fault: Fault | undefined;
  readonly isLoading: boolean;
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  first(): void;
  previous(): void;
  next(): void;
  reload(): void;
}

interface State<Row> {
  /** Tokens of the pages so far, of which the last is on the screen. */
  readonly tokens: readonly string[];
  readonly page?: KeysetPage<Row>;
  readonly fault?: Fault;
  readonly loads: number;
}

const firstPage = { tokens: [""], loads: 0 } as const;

/** A key changes with each character that is typed into a filter, so a load waits until this long after the last. */
const settleMs = 250;

/**
 * Loads a list page by page. Lists have no page numbers and no totals, which would make a store count; the way back is
 * the tokens of the pages before. `key` names what is listed: another key starts at the first page.
 */
export function useKeysetPages<Row>(
  key: string,
  load: (token: string, signal: AbortSignal) => Promise<KeysetPage<Row>>,
): KeysetPages<Row> {
  const state = useSignal<State<Row>>(firstPage);
  const { tokens, page, fault, loads } = state.value;
  const token = tokens.at(-1) ?? "";
  const loadedKey = useRef(key);
  // The key stands for what the function loads.
  useEffect(() => {
    const end = new AbortController();
    const timer = setTimeout(start, loadedKey.current === key ? 0 : settleMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
    function start(): void {
      loadedKey.current = key;
      load(token, end.signal).then(
        (loaded) => end.signal.aborted || finish({ page: loaded }),
        (error) => end.signal.aborted || finish({ fault: faultOf(error) }),
      );
    }
    function finish(result: Pick<State<Row>, "page" | "fault">): void {
      const { tokens: shown, loads: count } = state.peek();
      state.value = { tokens: shown, loads: count, ...result };
    }
  }, [key, token, loads]);
  // Another key starts at the first page.
  useEffect(() => {
    if (state.peek().tokens.length > 1) state.value = firstPage;
  }, [key]);
  const show = (next: readonly string[]) => {
    state.value = { tokens: next.length === 0 ? [""] : next, loads: loads + 1 };
  };
  return {
    rows: page?.rows,
    fault,
    isLoading: page === undefined && fault === undefined,
    hasPrevious: tokens.length > 1,
    hasNext: page !== undefined && page.nextToken !== "",
    first: () => show([""]),
    previous: () => show(tokens.slice(0, -1)),
    next: () => show([...tokens, page?.nextToken ?? ""]),
    reload: () => show(tokens),
  };
}
