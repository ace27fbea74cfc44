import { setFlagsFromString } from "node:v8";

/**
 * The part of the growth of the old generation after which V8 begins to collect all garbage, in percent of what it
 * allows between two such collections: in a task of its own, and at once.
 */
const softTrigger = 80;
const hardTrigger = 95;

/**
 * Lets V8 begin to collect all garbage when the old generation has grown, for all threads. By default it begins as
 * soon as the rest of the allowed growth is less than the size of the young generation, which under load is more than
 * a heap of 40 MB may grow by: then the next collection begins right after one has ended. To be called after the start,
 * since V8 compiles again what it has cached with other flags.
 */
export function delayFullCollections(): void {
  setFlagsFromString(`--incremental-marking-soft-trigger=${softTrigger}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${hardTrigger}`);
}
