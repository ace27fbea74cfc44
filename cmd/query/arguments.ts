import { type Command, Option } from "commander";
import { type Common, command, milliseconds, optionsOf, positive } from "../arguments.ts";
import type { ClusterOptions } from "../cohort/cohort.ts";
import type { QueryOptions } from "./query.ts";

/** Adds `engage query` and `engage cluster …`, which call a running server. */
export function addQuery(program: Command): void {
  withServer(command(program, "query", "ask a running server for numbers of events"))
    .argument("<file>", "the query as JSON, in the form of the REST body; - for standard input")
    .option("--project <id>", "instead of the query's projectId", positive)
    .option("--users", "the users behind a number (eventIndex, sliceDate, sliceGroupVal)")
    .addOption(new Option("--plot", "a chart in the terminal").conflicts(["users", "csv", "json"]))
    .addOption(
      new Option(
        "--csv",
        "as CSV, as it comes; of users the ids, unless the query has selectedColumns",
      ).conflicts("json"),
    )
    .option("--out <file>", "with --csv: where it goes (default: standard output)")
    .option("--json", "the answer as it comes")
    .action(async (file: string, options: Common & QueryOptions) => {
      const { runQuery } = await import("./query.ts");
      await runQuery(await optionsOf(options), file, options, process);
    });

  const cluster = program.command("cluster").description("cohorts and tags that are lists of users");
  addRpc(
    cluster,
    "import <name> <file>",
    "make or replace a version from a file of ids; - for standard input",
  )
    .option("--day <day>", "day of the version, yyyy-MM-dd (default: today in the project's zone)")
    .option("--tag", "the file gives each user a value")
    .addHelpText(
      "after",
      "\nThe file has an account id a line, or is CSV with a header row of account_id, distinct_id, user_id and value.",
    )
    .action(
      async (
        name: string,
        file: string,
        options: Common & ClusterOptions & { day?: string; tag?: boolean },
      ) => {
        const { importCluster } = await import("../cohort/cohort.ts");
        await importCluster(await optionsOf(options), name, file, options, process);
      },
    );
  addRpc(cluster, "list", "the imported cohorts and tags of a project").action(
    async (options: Common & ClusterOptions) => {
      const { listClusters } = await import("../cohort/cohort.ts");
      await listClusters(await optionsOf(options), options, process);
    },
  );
}

function withServer(one: Command): Command {
  return one
    .option("--url <url>", "the server (default: at the configured address)")
    .option("--token <token>", "query token (default: $ENGAGE_TOKEN, or one in the configuration)");
}

function addRpc(cluster: Command, name: string, description: string): Command {
  return withServer(command(cluster, name, description))
    .requiredOption("--project <id>", "project id (required)", positive)
    .option("--key-file <file>", "file with a bearer key (default: the key in $ENGAGE_KEY, or none)")
    .option("--timeout <ms>", "how long to wait for an answer", milliseconds, 300_000);
}
