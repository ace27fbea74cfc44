import { compare } from "../harness/compare.ts";
import { startServer } from "../harness/processes.ts";
import { createLoad, startEngage } from "./echo.ts";

/** Measures Parse as an echo of 200 bytes over gRPC with 8 connections of 32 streams each. */
const rounds = 9;

await using quiet = await startEngage(7301, { ENGAGE_LOG_ACCESS: "false" });
await using logging = await startEngage(7302, { ENGAGE_LOG_ACCESS: "true" });
await using grpcJs = await startServer("bench/parse-echo/grpc-js.ts", 7303);
await using adapter = await startServer("bench/parse-echo/connect-adapter.ts", 7304);
await using bare = await startServer("bench/parse-echo/node-http2.ts", 7305);

const load = createLoad();
const first = { name: "engage (interceptors, metrics)", server: quiet };
await compare(
  [
    first,
    { name: "engage (and access log)", server: logging },
    { name: "@grpc/grpc-js", server: grpcJs, bar: 1.5 },
    { name: "bare node:http2", server: bare, bar: 0.85 },
  ],
  rounds,
  load,
);
// A round of the adapter takes seconds, in which the others would free their memory and give up compiled code.
await compare([first, { name: "connect adapter", server: adapter }], 3, load);
