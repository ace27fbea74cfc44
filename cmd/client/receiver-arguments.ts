import { type Command, Option } from "commander";
import { defaultSignatureHeader } from "../../base/net/signature.ts";
import { milliseconds } from "../arguments.ts";

/** Adds the options for the secret of a channel. */
export function withSecret(command: Command, purpose: string): Command {
  return command
    .addOption(new Option("--secret <text>", purpose).conflicts("secretFile"))
    .option("--secret-file <file>", "file whose first line is the secret")
    .option("--header-name <name>", "header of the signature", defaultSignatureHeader);
}

/** Adds the options of commands that call a receiver. */
export function withReceiver(command: Command): Command {
  return withSecret(command, "secret of the channel that signs the requests")
    .option("--header <line...>", 'custom headers of the channel, such as "X-Api-Key: abc"')
    .option("--allow <network...>", "private networks that may be called; loopback is always allowed")
    .option("--tls-ca <file>", "trust only the certificate authorities in this file (PEM)")
    .option("--timeout <ms>", "how long to wait for a response", milliseconds, 60_000);
}
