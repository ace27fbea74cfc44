import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { folderWith } from "../../config/load.ts";
import { startEngage } from "../../run-engage.ts";
import { type WebhookClient, webhookClient } from "../../webhook-server.ts";

/** A process that serves webhooks, and reads other settings at SIGHUP. */
export interface SignalledServer extends WebhookClient {
  /** Writes another section `webhook` and sends the signal. Rejects unless it is in effect as a whole. */
  reload(webhook: object): Promise<void>;
}

interface LogLine {
  readonly msg: string;
  readonly url?: string;
}

/** Starts a server whose section `webhook` is as given; killed when the test ends. */
export async function startSignalledServer(webhook: object): Promise<SignalledServer> {
  const cwd = folderWith({});
  const write = (section: object): void => {
    const log = { level: "info", access: false };
    const settings = { listen: "127.0.0.1:0", data: join(cwd, "data"), log, webhook: section };
    writeFileSync(join(cwd, "engage.yaml"), JSON.stringify(settings));
  };
  write(webhook);
  const child = startEngage(["serve"], { cwd });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async (text: string): Promise<LogLine> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the log ended without ${JSON.stringify(text)}`);
      const line = JSON.parse(value as string) as LogLine;
      if (/^not reloaded|need a restart/.test(line.msg)) throw new Error(value as string);
      if (line.msg.startsWith(text)) return line;
    }
  };
  const { url } = await next("listening");
  return {
    ...webhookClient(url!),
    async reload(section) {
      write(section);
      child.kill("SIGHUP");
      await next("reloaded");
    },
  };
}
