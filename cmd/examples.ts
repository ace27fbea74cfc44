import type { Command } from "commander";

/** Examples by command. Each is a command line that works. */
const examples: Readonly<Record<string, readonly string[]>> = {
  init: ["engage init", "engage init shop.yaml --yes --project shop --zone Europe/Berlin --webhook main"],
  serve: ["engage serve --config engage.yaml"],
  "parser-plugin": ["engage parser-plugin --config engage.yaml"],
  demo: ["engage demo"],
  parse: [
    "engage parse access.log.1.gz --format access",
    "tail -F app.log | engage parse - --index app.log",
    "engage parse access.log --rejects bad.ndjson --examples 5",
  ],
  config: ["engage config --check", "engage config --schema > engage.schema.json"],
  migrate: ["engage migrate --config engage.yaml"],
  "key create": ['engage key create shipper --method "proto.Parser/*"'],
  health: ["engage health --url http://127.0.0.1:8080/readyz"],
  "webhook stats": ["engage webhook stats --channel demo"],
  "webhook deliveries": ["engage webhook deliveries --state pending --target crm"],
  "webhook delivery": ["engage webhook delivery 0mx3ekqsl00000001.0.crm"],
  "webhook dead-letters": ["engage webhook dead-letters --channel demo --json"],
  "webhook replay": [
    "engage webhook replay --target crm --dry-run",
    "engage webhook replay --delivery 0mx3ekqsl00000001.0.crm",
  ],
  "dead-letters kinds": ["engage dead-letters kinds"],
  "dead-letters reasons": ["engage dead-letters reasons parser"],
  "dead-letters list": ["engage dead-letters list record --project 1 --from 2026-01-02T00:00:00Z"],
  "dead-letters export": ["engage dead-letters export parser --reason invalid_json > lines.ndjson"],
  "dead-letters replay": [
    "engage dead-letters replay webhook --channel demo --dry-run",
    "engage dead-letters replay record --all",
  ],
  "token create": ["engage token create dashboard --project 1 --rate 5"],
  "token list": ["engage token list --json"],
  "token revoke": ["engage token revoke dashboard"],
  query: ["engage query query.json --plot", "engage query query.json --csv --out result.csv"],
  events: ["engage events --order count", "engage events login"],
  properties: [
    "engage properties --event login",
    'engage properties "#city" --from 2026-01-01 --to 2026-01-31',
    "engage properties level --table user --json",
  ],
  mcp: ["engage mcp --url http://127.0.0.1:8080 --key-file agent.key"],
  "delete-events": [
    "engage delete-events --project 1 --account ann --dry-run",
    "engage delete-events --project 1 --event login --from 2026-01-01 --to 2026-01-31 --yes",
  ],
  "cluster import": ["engage cluster import vips vips.txt --project 1"],
  "cluster list": ["engage cluster list --project 1"],
  "store stats": ["engage store stats --json"],
  "store compact": ["engage store compact"],
  "store check": ["engage store check"],
  "store rebuild-intake": ["engage store rebuild-intake"],
  "store accept-loss": ["engage store accept-loss events"],
  "store move": ["engage store move --config engage.yaml --to replicas.yaml"],
  "store names": ["engage store names --project 1"],
  "store forget": [
    'engage store forget --project 1 --event "spam_*" --max-uses 10',
    'engage store forget --project 1 --event "spam_*" --max-uses 10 --yes',
  ],
  backup: ["engage backup /backups/monday", "engage backup /backups/2026-11-29 --keep 14"],
  restore: ["engage restore /backups/monday --check", "engage restore /backups/monday"],
  import: [
    "engage import events.ndjson.gz",
    "engage import events.ndjson --rejects refused.ndjson",
    'engage import orders.csv --map "#account_id=user" "#event_name=what" "#time=at:time" --dry-run',
  ],
  export: ["engage export events.ndjson.gz --from 2026-01-01 --to 2026-01-31"],
  "channel list": ["engage channel list", "engage channel list --project 1 --json"],
  "channel show": ["engage channel show mail > mail.yaml"],
  "channel create": [
    "engage channel create mail.yaml",
    'engage channel create --name mail --project 1 --receiver https://example.com/hook --push-id-property "#account_id" --secret-file secret.txt',
  ],
  "channel update": [
    "engage channel update mail --set delivery.batch_size=50 delivery.retries=2",
    "engage channel update mail mail.yaml",
  ],
  "channel delete": ["engage channel delete mail --yes"],
  "channel test": [
    "engage channel test mail --to ann --set title=Hello",
    "engage channel test --file mail.yaml --to ann --json",
  ],
  "task list": ["engage task list --channel mail --state scheduled sending"],
  "task show": ["engage task show t1"],
  "task create": [
    "engage task create spring.yaml",
    "engage task create --channel mail --to ann --set title=Hello",
  ],
  "task estimate": ["engage task estimate spring.yaml"],
  "task preview": ["engage task preview spring.yaml --recipient ann"],
  "task run": ["engage task run t1", "engage task run t1 --no-wait"],
  "task watch": ["engage task watch t1"],
  "task cancel": ["engage task cancel t1"],
  "task funnel": ["engage task funnel t1"],
  "task batches": ["engage task batches t1 --failed"],
  push: ["engage push spring.yaml", "engage push --channel mail --to ann --set title=Hello"],
  check: [
    "engage check http://127.0.0.1:9000/hook --secret abc",
    "engage check https://example.com/hook --secret-file secret.txt --junit report.xml",
  ],
  listen: ["engage listen --secret abc --fail 1,3"],
  "profile list": ["engage profile list"],
  "profile set": [
    "engage profile set production --url https://engage.example.com --key-file production.key --use",
    "engage profile set local --url http://127.0.0.1:8080",
  ],
  "profile use": ["engage profile use production"],
  "profile remove": ["engage profile remove local"],
  version: ["engage version", "engage version --server --json"],
  docs: ["engage docs", "engage docs operations", "engage docs --search retention"],
  completion: ["engage completion bash > engage.bash"],
  send: ["engage send http://127.0.0.1:9000/hook --secret abc --push-id ann --param title=Hello"],
};

/** Adds the examples to the help of each command. */
export function addExamples(program: Command, path = ""): void {
  for (const command of program.commands) {
    const name = `${path}${command.name()}`;
    const lines = examples[name]?.map((line) => `\n  $ ${line}`) ?? [];
    if (lines.length > 0) command.addHelpText("after", `\nExamples:${lines.join("")}`);
    addExamples(command, `${name} `);
  }
}
