#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=1048576 node --v8-pool-size=1
import module from "node:module";
import { sizeThreadPool } from "./config/thread-pool.ts";

// An older Node cannot read the other files. It reads this one, whose imports it has too, and says what is missing
// instead of a SyntaxError.
const oldestNode = 24;
const [major] = process.versions.node.split(".");
if (Number(major) < oldestNode) {
  process.stderr.write(`engage: needs Node ${oldestNode}, this is ${major}\n`);
  process.exit(1);
}

// Caches compiled code and stripped sources in the folder named by NODE_COMPILE_CACHE, or in the temporary folder.
// From the second start on that saves a fifth of the time. Failing to write the cache is not an error.
module.enableCompileCache();
sizeThreadPool();
skipFetchClient();
const { main } = await import("./main.ts");
await main(process.argv);

/**
 * Importing Node's http reads all of its exports. Those of WebSockets load the client behind fetch, which takes a
 * twentieth of a start and 2 MiB. Nothing imports them from there; the global ones are others.
 */
function skipFetchClient(): void {
  const http = process.getBuiltinModule("node:http");
  for (const name of ["WebSocket", "CloseEvent", "MessageEvent"]) {
    Object.defineProperty(http, name, { value: undefined, configurable: true, enumerable: true });
  }
}
