// Loaded before the first TypeScript file, so that its types, too, are stripped only once. From the second start on
// this saves a third of the time and the 30 MiB that the stripper takes.
require("node:module").enableCompileCache();
// The stripper is WebAssembly. Where threads come and go, V8 13.6 can end the process (SIGSEGV in
// Runtime_TierUpWasmToJSWrapper) when it compiles one of the stripper's calls anew: so many calls nobody makes.
require("node:v8").setFlagsFromString("--wasm-wrapper-tiering-budget=2147483647");
