#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { sizeThreadPool } from "./config/thread-pool.ts";

// Compiled code, and sources with their types taken out, are kept in the folder that NODE_COMPILE_CACHE names, or for
// temporary files: from the second start on that saves a fifth of the time. It is no fault if it cannot be.
enableCompileCache();
sizeThreadPool();
const { main } = await import("./main.ts");
await main(process.argv);
