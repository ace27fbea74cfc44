// This file is loaded before the first TypeScript file, so that the types of that file are also stripped only once.
// From the second start on it saves a third of the time and the 30 MiB of the stripper.
require("node:module").enableCompileCache();
require("./find-modules.cjs");
// Threads load this file too, and need no more than that.
if (require("node:worker_threads").isMainThread) {
  // Node's own modules are compiled for Node's default flags. The modules that a server needs to start are
  // loaded before a flag is set, which saves about 50 ms.
  const used =
    "child_process dgram fs/promises http perf_hooks sqlite timers/promises tty vm worker_threads zlib";
  for (const name of used.split(" ")) process.getBuiltinModule(`node:${name}`);
  // The stripper is WebAssembly. In a process whose threads start and end, V8 13.6 can crash (SIGSEGV in
  // Runtime_TierUpWasmToJSWrapper) when it compiles a wrapper of the stripper again. It does so after as many calls as
  // this budget, which is set higher than any process reaches.
  require("node:v8").setFlagsFromString("--wasm-wrapper-tiering-budget=2147483647");
}
