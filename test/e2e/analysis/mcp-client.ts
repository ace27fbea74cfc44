import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** Calls the tools of an MCP server. */
export interface McpClient {
  request(method: string, params: object): Promise<never>;
  /** The answer of a tool, which is JSON in a text. @throws Error with what the tool says is wrong */
  call(tool: string, input: object): Promise<ToolAnswer>;
}

/** The output of a tool of thinkingdata-mcp for a response of the API. */
export interface ToolAnswer {
  readonly status: number;
  readonly url: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly data?: any;
  readonly text?: string;
}

interface Content {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
}

const server = createRequire(import.meta.url).resolve("thinkingdata-mcp/package.json");

/** Starts thinkingdata-mcp as an MCP client does: JSON-RPC, one message a line, over its standard streams. */
export async function openMcp(baseUrl: string, token: string): Promise<McpClient> {
  const child = spawn(process.execPath, [server.replace("package.json", "dist/index.js")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { THINKINGDATA_BASE_URL: baseUrl, THINKINGDATA_API_SECRET: token },
  });
  onTestFinished(() => void child.kill());
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  createInterface(child.stdout).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.[error === undefined ? "resolve" : "reject"]((error ?? result) as never);
  });
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request: McpClient["request"] = (method, params) => {
    const id = waiting.size;
    const answer = Promise.withResolvers<never>();
    waiting.set(id, answer);
    write({ id, method, params });
    return answer.promise;
  };
  const clientInfo = { name: "engage-test", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  write({ method: "notifications/initialized" });
  return {
    request,
    async call(name, input) {
      const { content, isError }: Content = await request("tools/call", { name, arguments: input });
      const text = content.map((part) => part.text).join("");
      if (isError) throw new Error(text);
      return JSON.parse(text) as ToolAnswer;
    },
  };
}
