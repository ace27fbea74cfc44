import { openPostgresIntake } from "../../../store/intake/postgres/open.ts";
import { keysOf, place } from "../../conformance/intake/store.ts";

/** Begins a batch with changes of all kinds, says so, and waits to be killed. */
const [url, schema] = process.argv.slice(2);
const intake = await openPostgresIntake({ url: url!, schema: schema!, spool: 1 });
await intake.rewind(place(10));
await intake.begin(place(10), keysOf(["a", "v", "known"]));
intake.resolve(1, "a", "v");
intake.resolve(1, "known", "v");
intake.claimUuid(1, "a", 1_000_000);
intake.claimFirstCheck(1, "open", "a");
process.send!("begun");
setInterval(() => {}, 1_000);
