#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=1048576 node --v8-pool-size=1
import { enableCompileCache } from "node:module";
import { sizeThreadPool } from "./config/thread-pool.ts";

// Caches compiled code and stripped sources in the folder named by NODE_COMPILE_CACHE, or in the temporary folder.
// From the second start on that saves a fifth of the time. Failing to write the cache is not an error.
enableCompileCache();
sizeThreadPool();
const { main } = await import("./main.ts");
await main(process.argv);
