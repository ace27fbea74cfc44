import { setV8Flag } from "./v8-flags.ts";

/**
 * Lets V8 collect garbage by the size of the heap and of buffers together. By default each 64 MiB of new buffers cause
 * a collection of the whole heap, however many of them are in use.
 */
export function countBuffersAsHeap(): void {
  setV8Flag("--external-memory-accounted-in-global-limit");
}
