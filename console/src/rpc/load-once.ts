import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Fault, faultOf } from "./fault.ts";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly fault: Fault | undefined;
  reload(): void;
}

/** Loads the data of a view once, and again when `key` changes. The key identifies the data. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const state = useSignal<Pick<Loaded<T>, "data" | "fault">>({ data: undefined, fault: undefined });
  const loads = useSignal(0);
  // The key stands for what the function loads.
  useEffect(() => {
    const end = new AbortController();
    state.value = { data: undefined, fault: undefined };
    load(end.signal).then(
      (data) => {
        if (!end.signal.aborted) state.value = { data, fault: undefined };
      },
      (error) => {
        if (!end.signal.aborted) state.value = { data: undefined, fault: faultOf(error) };
      },
    );
    return () => end.abort();
  }, [key, loads.value]);
  const reload = (): void => {
    loads.value++;
  };
  return { ...state.value, reload };
}
