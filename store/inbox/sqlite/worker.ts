import { serveStore } from "../../sql/sqlite/thread.ts";
import { inboxStore } from "./store.ts";

serveStore(inboxStore);
