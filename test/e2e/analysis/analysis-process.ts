import { openAnalysisServer } from "./analysis-server.ts";

// An analysis server of one project, see `openServerProcess`; ends by SIGTERM.
const { nowMs, events } = JSON.parse(process.argv[2]!) as { readonly nowMs: number; readonly events: object };
const onEnd = (stop: () => Promise<void>) =>
  void process.once("SIGTERM", async () => {
    await stop();
    process.exit();
  });
const { url } = await openAnalysisServer({ 1: {} }, nowMs, { events, onEnd });
process.stdout.write(JSON.stringify({ url }));
