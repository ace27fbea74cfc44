import { type Command, InvalidArgumentError, Option } from "commander";
import { defaultSignatureHeader } from "../../base/net/signature.ts";
import { milliseconds, positive } from "../arguments.ts";
import type { CheckCommandOptions } from "../check/check.ts";
import type { ListenOptions } from "../listen/listen.ts";
import type { SendCommandOptions } from "../send/send.ts";

/** Adds `engage check`, `engage listen` and `engage send`: tools for both sides of a webhook channel. */
export function addReceiverTools(program: Command): void {
  addCheck(program);
  addListen(program);
  addSend(program);
}

function withSecret(command: Command, what: string): Command {
  return command
    .addOption(new Option("--secret <text>", what).conflicts("secretFile"))
    .option("--secret-file <file>", "the secret is the first line of this file")
    .option("--header-name <name>", "header of the signature", defaultSignatureHeader);
}

function withCall(command: Command): Command {
  return withSecret(command, "secret of the channel, to sign with")
    .option("--header <line...>", 'custom headers of the channel, such as "X-Api-Key: abc"')
    .option("--allow <network...>", "private networks that may be called; loopback may always")
    .option("--tls-ca <file>", "trust only the authorities whose certificates are in this file (PEM)")
    .option("--timeout <ms>", "how long to wait for one answer", milliseconds, 60_000);
}

function addCheck(program: Command): void {
  const check = program.command("check <url>").description("grade a webhook receiver, rule by rule");
  withCall(check)
    .addOption(
      new Option("--channel-has-auth <state>", "off: the channel has no authentication, nothing is signed")
        .choices(["on", "off"])
        .default("on"),
    )
    .addOption(
      new Option(
        "--second-secret <text>",
        "another secret of the channel, whose signatures must be accepted too",
      ).conflicts("secondSecretFile"),
    )
    .option("--second-secret-file <file>", "the second secret is the first line of this file")
    .option("--known-bad-push-id <id>", "a push id that the receiver must name as failed")
    .option("--project-id <number>", "ops_project_id of the test messages", positive, 1)
    .option("--rate <number>", "requests a second that it has to bear", positive, 100)
    .option("--slow-body <ms>", "how long the slow body takes", milliseconds, 2_000)
    .option("--skip <id...>", "leave these probes out")
    .option("--strict", "exit with 1 also for what a receiver only should do")
    .option("--json", "print one JSON object in place of the table")
    .option("--junit <file>", "also write a report in JUnit's XML")
    .addHelpText(
      "after",
      `
Messages go to users whose push id begins with engage-check-; have your receiver leave them undelivered.
The body of one call is larger than 1 MiB, and some hundred small calls are made at the end.
Exit codes: 0 the receiver is right, 1 it breaks a rule or cannot be asked, 2 the command line is wrong`,
    )
    .action(async (url: string, options: CheckCommandOptions) => {
      const { runCheck } = await import("../check/check.ts");
      process.exitCode = await runCheck(url, options, process);
    });
}

function addListen(program: Command): void {
  const listen = program.command("listen").description("a receiver that shows batches, answers as told");
  withSecret(listen, "secret of the channel, to verify with; without one nothing is verified")
    .option("--port <number>", "where to listen", portNumber, 8090)
    .addOption(
      new Option("--forward <url>", "hand each request on to this receiver, and its answer back").conflicts([
        "fail",
        "returnCode",
        "emptyBody",
        "status",
      ]),
    )
    .option("--allow <network...>", "private networks that --forward may call; loopback may always")
    .option("--tls-ca <file>", "trust only the authorities of this file (PEM) with --forward")
    .addOption(
      new Option(
        "--fail <indexes>",
        "name these indexes as failed: 1 is the first, others such as 0 try a sender",
      )
        .argParser(indexList)
        .default([], "none"),
    )
    .option("--return-code <number>", "answer this return_code", wholeNumber, 0)
    .option("--status <number>", "answer this HTTP status", statusNumber, 200)
    .option("--empty-body", "answer without a body")
    .option("--delay <ms>", "answer after this time", milliseconds)
    .option("--json", "print one JSON object for each batch")
    .addHelpText("after", "\nIt listens on 127.0.0.1 alone.")
    .action(async (options: ListenOptions) => {
      const { runListen } = await import("../listen/listen.ts");
      await runListen(options, process);
    });
}

function addSend(program: Command): void {
  const send = program.command("send <url>").description("send a batch, show how its answer is judged");
  withCall(send)
    .addOption(
      new Option("--file <file>", "the body, byte for byte; - for standard input").conflicts("pushId"),
    )
    .option("--push-id <id...>", "one message for each of these")
    .option("--param <key=value...>", "params of the messages")
    .option("--custom-param <key=value...>", "custom_params of the messages")
    .option("--request-id <id>", "ops_request_id (default: a new one)")
    .option("--journey", "a journey's receipt, which has no ops_request_id")
    .option("--project-id <number>", "ops_project_id", positive, 1)
    .option("--duplicate <number>", "how often to send it, one call after the other", positive, 1)
    .option("--concurrent", "send the duplicates at once")
    .option("--cut <bytes>", "close the connection after this many bytes of the body", positive)
    .option("--slow <bytes>", "bytes of the body to send in a second", positive)
    .option("--reserialise", "write the JSON again after it was signed, as a careless proxy does")
    .option("--wrong-secret", "sign with another secret")
    .option("--no-signature", "leave the signature out")
    .option("--upper-case", "write the signature in upper case")
    .option("--content-type <type>", "Content-Type of the request", "application/json")
    .option("--json", "print one JSON object for each call")
    .addHelpText("after", "\nExit code 1 when an answer fails the call under strict validation.")
    .action(async (url: string, options: SendCommandOptions) => {
      const { runSend } = await import("../send/send.ts");
      process.exitCode = await runSend(url, options, process);
    });
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError("give a whole number");
  return Number(text);
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError("give 0 to 65535");
  return Number(text);
}

function statusNumber(text: string): number {
  if (!/^[2-5]\d\d$/.test(text)) throw new InvalidArgumentError("give 200 to 599");
  return Number(text);
}

function indexList(text: string): number[] {
  if (!/^\d{1,9}(?:,\d{1,9})*$/.test(text)) throw new InvalidArgumentError("give numbers such as 1,3");
  return text.split(",").map(Number);
}
