import { setFlagsFromString } from "node:v8";

/** The version of V8 in Node 26. An earlier one may not have the flag, and would report it to the standard error. */
const minVersion = 14;

/**
 * Lets V8 collect garbage by the size of the heap and of buffers together. By default each 64 MiB of new buffers cause
 * a collection of the whole heap, however many of them are in use.
 */
export function countBuffersAsHeap(): void {
  const version = Number.parseInt(process.versions.v8, 10);
  if (version >= minVersion) setFlagsFromString("--external-memory-accounted-in-global-limit");
}
