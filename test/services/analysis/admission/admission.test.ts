import { createContextValues, createHandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { AnalysisProxy } from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { createAdmission } from "../../../../services/analysis/admission/admission.ts";
import { createTokenList } from "../../../../services/analysis/admission/tokens.ts";
import { fakeEngine, tokens } from "../proxy-server.ts";

const context = createHandlerContext({
  service: AnalysisProxy,
  method: AnalysisProxy.method.downloadEvents,
  protocolName: "grpc",
  requestMethod: "POST",
  url: "http://127.0.0.1/",
  contextValues: createContextValues(),
});

test.each([
  ["a token", "token-one", "token"],
  ["a key, without a token", "", "key"],
])("%s is checked again while a call runs", (_name, token, what) => {
  let isRemoved = false;
  const list = createTokenList(tokens);
  const admission = createAdmission({
    tokens: { find: (text) => (isRemoved ? undefined : list.find(text)) },
    projects: new Map([[1, { engine: fakeEngine({}), engineName: "embedded" }]]),
    monotonic: () => 0,
    rateLimit: () => undefined,
    keyOf: () => (isRemoved ? undefined : "ops"),
  });
  const { recheck } = admission.admit({ token, context }, 1);
  recheck();
  isRemoved = true;
  expect(recheck).toThrow(`the ${what} was removed, or has no access any more`);
});
