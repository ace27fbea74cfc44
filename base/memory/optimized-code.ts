import { setFlagsFromString } from "node:v8";

/**
 * Flags by which V8 optimizes no functions and loops, for all threads. Its optimizing compilers take 8 MiB of memory
 * once they run. V8 reads the flags whenever a function has run often, and refuses compiled code that is cached while
 * they are set. So they are for a time in which no file is loaded and no thread starts.
 */
export const withoutOptimizing = ["--turbo-filter=-*", "--maglev-filter=-*", "--no-use-osr"];

/** Lets V8 optimize code again, by its defaults. */
export function optimizeCode(): void {
  for (const flag of ["--turbo-filter=*", "--maglev-filter=*", "--use-osr"]) setFlagsFromString(flag);
}
