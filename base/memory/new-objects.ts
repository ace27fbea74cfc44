import { setFlagsFromString } from "node:v8";

/**
 * Lets V8 allocate all new objects of this process in the young generation. By default, optimized code allocates those
 * of a place whose objects once lived long in the old generation. There they keep what they refer to until the next
 * collection of the whole heap: one object of each call is enough for all of it to stay.
 */
export function allocateObjectsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
