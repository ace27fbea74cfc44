import type { Command } from "commander";
import { type Common, command, optionsOf, positive } from "../arguments.ts";
import { stopSignal } from "../terminal/stop-signal.ts";

interface BackupOptions extends Common {
  readonly json?: true;
}

interface KeepOptions extends BackupOptions {
  readonly keep?: number;
}

interface RestoreOptions extends BackupOptions {
  readonly check?: true;
  readonly replace?: true;
}

/** Adds `engage backup` and `engage restore`. */
export function addBackup(program: Command): void {
  command(program, "backup", "copy the data folder, also of a running server")
    .argument("<folder>", "new or empty folder for the backup, outside of the data folder")
    .option("--keep <number>", "backups to keep beside each other; older ones are deleted", positive)
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
While a server runs, records and webhooks are accepted and queries run during the
copy; records that arrive are loaded after it. The copy is of one moment.

The copy is opened and read once, as a start would do, compared with the marks of
what was acknowledged, and counted. backup.json has the counts and a checksum of
each file; without it a backup is not complete. The configuration is not copied.

With --keep, the oldest complete backups of this data folder that are in the same
folder as the new one are deleted once that is complete, so that this many are left.
Nothing else there is deleted.

Run it as the user of the server, on its machine, with its configuration.`,
    )
    .action(async (folder: string, { json, keep, ...options }: KeepOptions) => {
      const [{ loadConfig }, { backUp }] = await Promise.all([
        import("../config/config.ts"),
        import("../serve/backup/backup.ts"),
      ]);
      const { config } = loadConfig(await optionsOf(options));
      const { stdout, stderr } = process;
      const signal = stopSignal("stopped; there is no backup");
      await backUp(config, folder, { keep }, { stdout, stderr, json, signal });
    });
  command(program, "restore", "put a backup into the data folder")
    .argument("<folder>", "folder of a backup")
    .option("--check", "only compare the files of the backup with their checksums")
    .option("--replace", "keep what the data folder has in a folder of its own within it")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
The server must be stopped, and the data folder must hold no data unless --replace
is given. All files of the backup are compared with their checksums before anything
is changed. At the end the stores are opened and counted; with other counts than
those of the backup it ends with code 1.

What was accepted after the backup is missing in the restored data.`,
    )
    .action(async (folder: string, { json, check, replace, ...options }: RestoreOptions) => {
      const [{ loadConfig }, { restore }] = await Promise.all([
        import("../config/config.ts"),
        import("../serve/backup/restore.ts"),
      ]);
      const { config } = loadConfig(await optionsOf(options));
      const { stdout, stderr } = process;
      const signal = stopSignal("stopped; run it again with --replace");
      await restore(config, folder, { check, replace }, { stdout, stderr, json, signal });
    });
}
