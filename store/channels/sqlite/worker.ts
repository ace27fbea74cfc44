import { serveStore } from "../../sql/sqlite/thread.ts";
import { channelStore } from "./store.ts";

serveStore(channelStore);
