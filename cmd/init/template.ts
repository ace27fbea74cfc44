import { isLoopback, parseListen } from "../config/listen.ts";

/** What a new configuration is made of. */
export interface Answers {
  /** Host and port. */
  readonly listen: string;
  readonly data: string;
  /** Name of the project. */
  readonly project: string;
  readonly appid: string;
  readonly zone: string;
  /** Name of a webhook channel; empty for none. */
  readonly webhook: string;
}

/** What the file contains of the secrets, and the secret of webhooks itself. */
export interface InitDigests {
  readonly tokenSha256: string;
  readonly keySha256: string;
  readonly webhookSecret: string;
}

/** Reports whether other machines reach the server, whose callers then need a key. */
export function needsKey({ listen }: Answers): boolean {
  return !isLoopback(parseListen(listen)!.host);
}

/** Writes a configuration with a comment on each setting. */
export function writeTemplate(answers: Answers, digests: InitDigests): string {
  const { listen, data, project, appid, zone, webhook } = answers;
  return `# Configuration of engage. \`engage config --check\` lists mistakes with their lines, and
# \`engage config --print --describe\` explains all settings, also those that are not here.
# A value can come from the environment too: ENGAGE_LOG_LEVEL sets log.level.

# Address and port of gRPC, Connect, REST and the console.
listen: ${quoted(listen)}

# Folder for everything that the server stores.
data: ${quoted(data)}

${authOf(answers, digests)}
# A project owns events and users. SDKs send events to it by its app id.
projects:
  - id: 1
    name: ${quoted(project)}
    appids: [${quoted(appid)}]
    # The zone of its days.
    zone: ${quoted(zone)}

# Who may query events. \`engage token create\` makes further tokens while the server runs.
analysis:
  tokens:
    - name: init
      # The digest of the token, which was printed when this file was written.
      sha256: ${quoted(digests.tokenSha256)}
      projects: [1]
${webhook === "" ? "" : webhookOf(webhook, digests)}
# The log goes to standard output.
log:
  level: info
`;
}

function authOf(answers: Answers, { keySha256 }: InitDigests): string {
  if (!needsKey(answers))
    return `# Callers on this machine need no key. On another address they do: \`engage key create\` makes one.
auth:
  mode: off
`;
  return `# Callers need a key. \`engage key create\` makes further ones. With
# \`access: read\` in its entry, a key only reads.
auth:
  keys:
    - name: init
      # The digest of the key, which was printed when this file was written.
      sha256: ${quoted(keySha256)}
      methods: ["*"]
`;
}

function webhookOf(name: string, { webhookSecret }: InitDigests): string {
  return `
# Webhooks of the engagement platform: it posts messages to /webhook/${name}.
webhook:
  channels:
    ${quoted(name)}:
      secrets:
        # The secret that the platform signs with.
        - value: ${quoted(webhookSecret)}
      targets: [log]
  # Where messages go. Other kinds are grpc, http, pull, smtp, nats, redis and file.
  targets:
    log: { kind: log }
`;
}

/** A text in double quotes of YAML, which has the escapes of JSON. */
const quoted = (text: string): string => JSON.stringify(text);
