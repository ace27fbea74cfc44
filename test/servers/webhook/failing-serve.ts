import { processOptions } from "../../../cmd/config/config.ts";
import { serve } from "../../../cmd/serve/serve.ts";
import type { ElementOutcome } from "../../../store/inbox/inbox.ts";
import { SqlInbox } from "../../../store/inbox/sql/sql-inbox.ts";

// `engage serve` that kills itself at a named point of its way, of which the port of the inbox shows three.
const [, , point = "", , config = ""] = process.argv;
const { accept, settle } = SqlInbox.prototype;

function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

const decorations: Readonly<Record<string, Partial<SqlInbox>>> = {
  /** The signature and the elements are good, and nothing is stored. */
  "after verify": { accept: die },
  /** The sender doesn't know that its batch is stored. */
  "after commit": {
    async accept(...args) {
      await accept.apply(this as SqlInbox, args);
      return die();
    },
  },
  /** The target has the messages, and the inbox doesn't know it. */
  "before settle": {
    async settle(token, outcomes: readonly ElementOutcome[], options) {
      if (outcomes.some(({ kind }) => kind === "done")) return die();
      return await settle.call(this as SqlInbox, token, outcomes, options);
    },
  },
};

Object.assign(SqlInbox.prototype, decorations[point]);
await serve(processOptions(config));
