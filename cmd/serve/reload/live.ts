import type { Config } from "../../config/config.ts";
import { valueAt, withValue } from "../../config/tree.ts";
import type { ReloadablePart } from "./reload.ts";
import { reloadable } from "./settings.ts";

/** A configuration whose values at the paths `reloadable.live` change in place. */
export interface LiveConfig {
  /** For all that read a value when they use it. */
  readonly config: Config;
  readonly part: ReloadablePart;
}

/** @param changed is called after values have changed */
export function createLiveConfig(started: Config, changed: (config: Config) => void): LiveConfig {
  const paths = reloadable.live;
  // The sections of these values are copied, so that the given configuration stays as it is.
  const config = paths.reduce<unknown>(
    (copy, path) => withValue(copy, path, valueAt(copy, path)),
    started,
  ) as Config;
  return {
    config,
    part: {
      name: "live",
      prepare: async (wanted) => ({
        apply() {
          for (const path of paths) {
            const section = valueAt(config, path.slice(0, -1)) as Record<string, unknown>;
            section[path.at(-1)!] = valueAt(wanted, path);
          }
          changed(config);
        },
      }),
    },
  };
}
