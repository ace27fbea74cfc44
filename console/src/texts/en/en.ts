import { channels } from "./channels.ts";
import { controls } from "./controls.ts";
import { deadLetters } from "./dead-letters.ts";
import { deliveries } from "./deliveries.ts";
import { events } from "./events.ts";
import { fields } from "./fields.ts";
import { filters } from "./filters.ts";
import { form } from "./form.ts";
import { imports } from "./import.ts";
import { overview } from "./overview.ts";
import { parser } from "./parser.ts";
import { query } from "./query.ts";
import { receivers } from "./receivers.ts";
import { savedQueries } from "./saved-queries.ts";
import { session } from "./session.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.ts";
import { tasks } from "./tasks.ts";

/** The English catalogue. Its keys are those of every language. */
export const en = {
  ...shell,
  ...session,
  ...controls,
  ...overview,
  ...deliveries,
  ...deadLetters,
  ...parser,
  ...events,
  ...query,
  ...savedQueries,
  ...receivers,
  ...imports,
  ...settings,
  ...filters,
  ...form,
  ...fields,
  ...channels,
  ...tasks,
} as const;
