import { controls } from "./controls.ts";
import { events } from "./events.ts";
import { overview } from "./overview.ts";
import { parser } from "./parser.ts";
import { session } from "./session.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.ts";

/** The English catalogue. Its keys are those of every language. */
export const en = {
  ...shell,
  ...session,
  ...controls,
  ...overview,
  ...parser,
  ...events,
  ...settings,
} as const;
