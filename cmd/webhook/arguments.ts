import { type Command, Option } from "commander";
import { type Common, command, milliseconds, optionsOf, positive } from "../arguments.ts";
import type { ServerOptions } from "../client/rpc-client.ts";
import type { WebhookClient } from "./client.ts";
import type { MessageFilter, Output, ReplayOptions } from "./webhook.ts";

interface WebhookOptions extends Common, ServerOptions, MessageFilter {
  readonly json?: true;
}

type Commands = typeof import("./webhook.ts");

/** Adds `engage webhook …`: commands that call a running server. */
export function addWebhook(program: Command): void {
  const webhook = program.command("webhook").description("look at the messages of a running server");
  const add = (name: string, description: string): Command =>
    command(webhook, name, description)
      .option("--url <url>", "the server (default: at the configured address)")
      .option("--key-file <file>", "file with a bearer key (default: the key in $ENGAGE_KEY, or none)")
      .option("--timeout <ms>", "how long to wait for an answer", milliseconds, 30_000)
      .option("--json", "one JSON object a line");

  add("stats", "messages accepted, delivered, given up and waiting, and the state of the inbox")
    .option("--channel <name>", "only this channel")
    .action((options: WebhookOptions) =>
      call(options, ({ printStats }, client, output) => printStats(client, options, output)),
    );
  addFilter(add("deliveries", "messages by target, the newest first"))
    .option("--request <id>", "only those of the platform's batch with this ops_request_id")
    .addOption(
      new Option("--state <state>", "only these").choices(["pending", "leased", "delivered", "dead"]),
    )
    .option("--limit <number>", "how many to show at most", positive, 100)
    .action((options: WebhookOptions & { state?: string; limit: number }) =>
      call(options, ({ printDeliveries }, client, output) =>
        printDeliveries(client, options, options, output),
      ),
    );
  add("delivery <id>", "one delivery with its message, as JSON").action(
    (id: string, options: WebhookOptions) =>
      call(options, ({ printDelivery }, client, output) => printDelivery(client, id, output)),
  );
  addFilter(add("dead-letters", "messages that were given up, with the reason"))
    .option("--limit <number>", "how many to show at most", positive, 100)
    .action((options: WebhookOptions & { limit: number }) =>
      call(options, ({ printDeadLetters }, client, output) =>
        printDeadLetters(client, options, options, output),
      ),
    );
  addFilter(add("replay", "put dead letters back among the waiting messages"))
    .option("--delivery <id>", "only this one")
    .option("--all", "all dead letters, when nothing narrows them down")
    .option("--dry-run", "only count them")
    .option("--nonce <text>", "names this replay: a second one of the same name does nothing")
    .action((options: WebhookOptions & ReplayOptions) =>
      call(options, ({ replayDeadLetters }, client, output) =>
        replayDeadLetters(client, options, options, output),
      ),
    );
}

function addFilter(one: Command): Command {
  return one
    .option("--channel <name>", "only those of this channel")
    .option("--target <name>", "only those for this target")
    .option("--batch <id>", "only those of this batch")
    .option("--push-id <id>", "only those for this user");
}

async function call(
  options: WebhookOptions,
  run: (commands: Commands, client: WebhookClient, output: Output) => Promise<void>,
): Promise<void> {
  const [{ withWebhookClient }, commands] = await Promise.all([
    import("./client.ts"),
    import("./webhook.ts"),
  ]);
  const output = { stdout: process.stdout, json: options.json };
  await withWebhookClient(await optionsOf(options), options, (client) => run(commands, client, output));
}
