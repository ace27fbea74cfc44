import { type Command, Option } from "commander";
import { milliseconds, positive } from "../arguments.ts";
import { withReceiver } from "../client/receiver-arguments.ts";
import type { CheckCommandOptions } from "./check.ts";

/** Adds `engage check`. */
export function addCheck(program: Command): void {
  withReceiver(program.command("check <url>").description("grade a webhook receiver, rule by rule"))
    .addOption(
      new Option(
        "--channel-has-auth <state>",
        "off: the channel has no authentication, requests are not signed",
      )
        .choices(["on", "off"])
        .default("on"),
    )
    .addOption(
      new Option(
        "--second-secret <text>",
        "another secret of the channel, whose signatures the receiver must accept too",
      ).conflicts("secondSecretFile"),
    )
    .option("--second-secret-file <file>", "file whose first line is the second secret")
    .option("--known-bad-push-id <id>", "a push id that the receiver must report as failed")
    .option("--project-id <number>", "ops_project_id of the test messages", positive, 1)
    .option("--rate <number>", "requests per second that the receiver must handle", positive, 100)
    .option("--slow-body <ms>", "how long sending the slow body takes", milliseconds, 2_000)
    .option("--skip <id...>", "probes to skip")
    .option("--strict", "exit with 1 also when the receiver breaks a recommendation")
    .option("--json", "print one JSON object instead of the table")
    .option("--junit <file>", "also write a report in JUnit XML")
    .addHelpText(
      "after",
      `
Messages go to users whose push id begins with engage-check-; configure your receiver not to deliver them.
One request has a body of more than 1 MiB, and the last probe sends several hundred small requests.
Exit codes: 0 the receiver follows the rules, 1 it breaks a rule or cannot be called, 2 the command line is wrong`,
    )
    .action(async (url: string, options: CheckCommandOptions) => {
      const { runCheck } = await import("./check.ts");
      process.exitCode = await runCheck(url, options, process);
    });
}
