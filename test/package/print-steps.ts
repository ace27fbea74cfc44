import { writeSync } from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import v8 from "node:v8";
import { isMainThread } from "node:worker_threads";

/** Prints each flag of V8 that the main thread sets, and each file that it loads: `node --import FILE PROGRAM`. */
const print = (step: string, file?: string) => writeSync(1, `${JSON.stringify({ step, file })}\n`);

if (isMainThread) {
  const { setFlagsFromString } = v8;
  v8.setFlagsFromString = (flag) => {
    print(flag);
    setFlagsFromString(flag);
  };
  syncBuiltinESMExports();
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) print("load", url);
      return next(url, context);
    },
  });
}
