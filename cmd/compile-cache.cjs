// Loaded before the first TypeScript file, so that its types, too, are stripped only once. From the second start on
// this saves a third of the time and the 30 MiB that the stripper takes.
require("node:module").enableCompileCache();
// Node's own modules come compiled, for the flags that Node is built with: those that a server needs are loaded before
// a flag is set, which saves some 50 ms.
const used =
  "child_process dgram fs/promises http http2 https perf_hooks sqlite timers/promises tty vm worker_threads zlib";
for (const name of used.split(" ")) process.getBuiltinModule(`node:${name}`);
// The stripper is WebAssembly. Where threads come and go, V8 13.6 can end the process (SIGSEGV in
// Runtime_TierUpWasmToJSWrapper) when it compiles one of the stripper's calls anew: so many calls nobody makes.
require("node:v8").setFlagsFromString("--wasm-wrapper-tiering-budget=2147483647");
