import { createServer } from "node:http";

/** A minimal receiver: reads the body, replies with success, and records when each request arrived. */
const reply = '{"return_code":0,"return_message":"success","data":{"fail_list":[]}}';
const headers = { "content-type": "application/json", "content-length": reply.length };
let times: number[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify(times));
    times = [];
    return;
  }
  times.push(performance.timeOrigin + performance.now());
  request.on("end", () => response.writeHead(200, headers).end(reply));
  request.resume();
});
server.listen(Number(process.env["PORT"]), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
