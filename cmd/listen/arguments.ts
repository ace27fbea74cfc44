import { type Command, InvalidArgumentError, Option } from "commander";
import { milliseconds } from "../arguments.ts";
import { withSecret } from "../client/receiver-arguments.ts";
import type { ListenOptions } from "./listen.ts";

/** Adds `engage listen`. */
export function addListen(program: Command): void {
  const listen = program.command("listen").description("print batches, respond as configured");
  withSecret(listen, "secret of the channel that verifies signatures; without one they are not verified")
    .option("--port <number>", "port to listen on", portNumber, 8090)
    .addOption(
      new Option(
        "--forward <url>",
        "forward each request to this receiver, and return its response",
      ).conflicts(["fail", "returnCode", "emptyBody", "status"]),
    )
    .option("--allow <network...>", "private networks that --forward may call; loopback is always allowed")
    .option("--tls-ca <file>", "with --forward, trust only the certificate authorities in this file (PEM)")
    .addOption(
      new Option(
        "--fail <indexes>",
        "indexes to report as failed, counted from 1; others such as 0 test a sender",
      )
        .argParser(indexList)
        .default([], "none"),
    )
    .option("--return-code <number>", "respond with this return_code", wholeNumber, 0)
    .option("--status <number>", "respond with this HTTP status", statusNumber, 200)
    .option("--empty-body", "respond without a body")
    .option("--delay <ms>", "respond after this time", milliseconds)
    .option("--json", "print one JSON object for each batch")
    .addHelpText("after", "\nIt listens on 127.0.0.1 only.")
    .action(async (options: ListenOptions) => {
      const { runListen } = await import("./listen.ts");
      await runListen(options, process);
    });
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError("must be a whole number");
  return Number(text);
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError("must be 0 to 65535");
  return Number(text);
}

function statusNumber(text: string): number {
  if (!/^[2-5]\d\d$/.test(text)) throw new InvalidArgumentError("must be 200 to 599");
  return Number(text);
}

function indexList(text: string): number[] {
  if (!/^\d{1,9}(?:,\d{1,9})*$/.test(text)) throw new InvalidArgumentError("must be numbers such as 1,3");
  return text.split(",").map(Number);
}
