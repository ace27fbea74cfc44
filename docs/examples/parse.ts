import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

// Any gRPC client will do; this one reads the contract from the .proto file.
const { proto } = grpc.loadPackageDefinition(loadSync("proto/proto/parser.proto"));
const { Parser } = proto as unknown as { Parser: grpc.ServiceClientConstructor };
const parser = new Parser(process.argv[2] ?? "127.0.0.1:8080", grpc.credentials.createInsecure());

// An item is INDEX|ta|LINE, the index being a file name or topic; items are joined by :ta:
const items = [
  'game1.log|ta|{"ACCOUNTID":"a1","OSTYPE":"d1","LOGTM":"2023-09-04 16:46:06","CODE":1001}',
  "game1.log|ta|this line is broken",
  'access.log|ta|203.0.113.9 - - [10/Jan/2024:08:15:02 +0200] "GET /shop HTTP/1.1" 200 2326 "-" "curl/8.5.0"',
];
parser["Parse"]?.(
  { content: Buffer.from(items.join(":ta:")) },
  (error: Error | null, response: { content: Buffer }) => {
    if (error) throw error;
    for (const record of response.content.toString().split(":ta:")) console.log(record);
    parser.close();
  },
);
