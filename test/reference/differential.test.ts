import { testRandomRequests } from "./random-requests.ts";

testRandomRequests("", { timeoutMs: 240_000 });
