import { processOptions } from "../../../cmd/config/config.ts";
import { serve } from "../../../cmd/serve/serve.ts";

// `engage serve` to which a file beyond the process's limit of size is an I/O error, and not the end.
process.on("SIGXFSZ", () => undefined);
const [, , , config = ""] = process.argv;
await serve(processOptions(config));
