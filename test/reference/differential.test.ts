import { casesOf } from "../thorough.ts";
import { testRandomRequests } from "./random-requests.ts";

testRandomRequests("", { perScene: casesOf(400), timeoutMs: 240_000 });
