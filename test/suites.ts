import { baseSuites } from "./suites/base.ts";
import { cmdSuites } from "./suites/cmd.ts";
import { gatewaySuites } from "./suites/gateway.ts";
import { servicesSuites } from "./suites/services.ts";
import { storeSuites } from "./suites/store.ts";

/**
 * The tests of the source files that have no test of their own name, by source folder.
 * A test is a file, or a folder whose tests all count. `test/suites.test.ts` checks the map,
 * of which `test/suites/` has one file for each layer.
 */
export const suites: Readonly<Record<string, readonly string[]>> = {
  ...baseSuites,
  ...cmdSuites,
  ...gatewaySuites,
  ...servicesSuites,
  ...storeSuites,
};
