import { type Command, Option } from "commander";
import { type Common, command, optionsOf, positive, withServer } from "../arguments.ts";
import type { ServerOptions } from "../client/rpc-client.ts";
import type { MessageOutput } from "../terminal/messages.ts";
import type { WebhookClient } from "./client.ts";
import type { MessageFilter, ReplayOptions } from "./webhook.ts";

interface WebhookOptions extends Common, ServerOptions, MessageFilter {
  readonly json?: true;
}

type Commands = typeof import("./webhook.ts");

/** Adds `engage webhook …`, commands that call a running server. */
export function addWebhook(program: Command): void {
  const webhook = program.command("webhook").description("inspect the messages of a running server");
  const add = (name: string, description: string): Command =>
    withServer(command(webhook, name, description), 30_000).option(
      "--json",
      "print one JSON object per line",
    );

  add("stats", "count accepted, delivered, dead and pending messages, and show the state of the inbox")
    .option("--channel <name>", "only this channel")
    .action((options: WebhookOptions) =>
      call(options, ({ printStats }, client, output) => printStats(client, options, output)),
    );
  addFilter(add("deliveries", "list messages by target, the newest first"))
    .addOption(
      new Option("--state <state>", "only deliveries in this state").choices([
        "pending",
        "leased",
        "delivered",
        "dead",
      ]),
    )
    .option("--limit <number>", "number of rows to show at most", positive, 100)
    .action((options: WebhookOptions & { state?: string; limit: number }) =>
      call(options, ({ printDeliveries }, client, output) =>
        printDeliveries(client, options, options, output),
      ),
    );
  add("delivery <id>", "show one delivery with its message, as JSON").action(
    (id: string, options: WebhookOptions) =>
      call(options, ({ printDelivery }, client, output) => printDelivery(client, id, output)),
  );
  addFilter(add("dead-letters", "list messages that were given up, with the reason"))
    .option("--limit <number>", "number of rows to show at most", positive, 100)
    .action((options: WebhookOptions & { limit: number }) =>
      call(options, ({ printDeadLetters }, client, output) =>
        printDeadLetters(client, options, options, output),
      ),
    );
  addFilter(add("replay", "return dead letters to the pending messages"))
    .option("--delivery <id>", "only this delivery")
    .option("--all", "all dead letters; required without a filter")
    .option("--dry-run", "only count them")
    .option("--nonce <text>", "name of this replay: a second replay with the same name does nothing")
    .action((options: WebhookOptions & ReplayOptions) =>
      call(options, ({ replayDeadLetters }, client, output) =>
        replayDeadLetters(client, options, options, output),
      ),
    );
}

function addFilter(one: Command): Command {
  return one
    .option("--channel <name>", "only messages of this channel")
    .option("--target <name>", "only messages for this target")
    .option("--batch <id>", "only messages of this batch")
    .option("--request <id>", "only messages of the batch with this ops_request_id")
    .option("--push-id <id>", "only messages to this user");
}

async function call(
  options: WebhookOptions,
  run: (commands: Commands, client: WebhookClient, output: MessageOutput) => Promise<void>,
): Promise<void> {
  const [{ withWebhookClient }, commands] = await Promise.all([
    import("./client.ts"),
    import("./webhook.ts"),
  ]);
  const { stdout, stderr } = process;
  const output: MessageOutput = { stdout, stderr, json: options.json };
  await withWebhookClient(await optionsOf(options), options, (client) => run(commands, client, output));
}
