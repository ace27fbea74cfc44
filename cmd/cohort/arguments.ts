import type { Command } from "commander";
import { longestCallMs } from "../../base/rpc/longest-call.ts";
import { type Common, command, optionsOf, positive, withServer } from "../arguments.ts";
import type { CohortOptions } from "./cohort.ts";

/** Adds `engage cluster …`, the commands for cohorts and tags. */
export function addCohort(program: Command): void {
  const cohort = program.command("cluster").description("cohorts and tags that are lists of users");
  const add = (name: string, description: string): Command =>
    withServer(command(cohort, name, description), longestCallMs)
      .option(
        "--token <token>",
        "query token (default: that of the profile, $ENGAGE_TOKEN, or one in the configuration)",
      )
      .requiredOption("--project <id>", "project id (required)", positive);
  add("import <name> <file>", "create or replace a version from a file of ids; - for standard input")
    .option("--day <day>", "day of the version, yyyy-MM-dd (default: today in the project's zone)")
    .option("--tag", "import a tag: the file gives each user a value")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      "\nThe file has one account id per line, or is CSV with a header row of account_id, distinct_id, user_id and value.",
    )
    .action(
      async (
        name: string,
        file: string,
        options: Common & CohortOptions & { day?: string; tag?: boolean },
      ) => {
        const { importCohort } = await import("./cohort.ts");
        await importCohort(await optionsOf(options), name, file, options, process);
      },
    );
  add("list", "list the imported cohorts and tags of a project")
    .option("--json", "print one JSON object per line")
    .action(async (options: Common & CohortOptions) => {
      const { listCohorts } = await import("./cohort.ts");
      await listCohorts(await optionsOf(options), options, process);
    });
}
