import { type Command, Option } from "commander";
import { positive } from "../arguments.ts";
import { withReceiver } from "../client/receiver-arguments.ts";
import type { SendCommandOptions } from "./send.ts";

/** Adds `engage send`. */
export function addSend(program: Command): void {
  withReceiver(program.command("send <url>").description("send a batch, show how the response is judged"))
    .addOption(
      new Option("--file <file>", "file with the body, sent byte for byte; - for standard input").conflicts(
        "pushId",
      ),
    )
    .option("--push-id <id...>", "send one message for each of these push ids")
    .option("--param <key=value...>", "params of the messages")
    .option("--custom-param <key=value...>", "custom_params of the messages")
    .option("--request-id <id>", "ops_request_id (default: a new one)")
    .option("--journey", "send the receipt of a journey, which has no ops_request_id")
    .option("--project-id <number>", "ops_project_id", positive, 1)
    .option("--duplicate <number>", "how often to send the batch, one request after the other", positive, 1)
    .option("--concurrent", "send the duplicates at the same time")
    .option("--cut <bytes>", "close the connection after this many bytes of the body", positive)
    .option("--slow <bytes>", "send this many bytes of the body per second", positive)
    .option("--reserialise", "write the JSON again after signing it, as a careless proxy does")
    .option("--wrong-secret", "sign with another secret")
    .option("--no-signature", "send no signature")
    .option("--upper-case", "write the signature in upper case")
    .option("--content-type <type>", "Content-Type of the request", "application/json")
    .option("--json", "print one JSON object for each request")
    .addHelpText("after", "\nExits with 1 when a response fails the request under strict validation.")
    .action(async (url: string, options: SendCommandOptions) => {
      const { runSend } = await import("./send.ts");
      process.exitCode = await runSend(url, options, process);
    });
}
