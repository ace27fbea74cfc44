import { serveStore } from "../../sql/sqlite/thread.ts";
import { savedQueryStore } from "./store.ts";

serveStore(savedQueryStore);
