export const baseSuites: Readonly<Record<string, readonly string[]>> = {
  "base/async": ["test/base/async/shared-rate.test.ts"],
  "base/bytes": ["test/base/bytes/byte-sink.test.ts", "test/services/analysis/shape/users.test.ts"],
  "base/json": [
    "test/base/json/cursor.test.ts",
    "test/gateway/rest/json-text.test.ts",
    "test/services/webhook/receive/scan.test.ts",
  ],
  "base/metrics": ["test/gateway/metrics"],
  "base/net": ["test/base/net/http-client.test.ts", "test/base/net/outbound.test.ts"],
  "base/package": ["test/base/net/http-client.test.ts", "test/package"],
  "base/parquet": ["test/base/parquet/file.test.ts"],
  "base/record": ["test/services/event/record"],
  "base/rpc": [
    "test/base/rpc/map-errors.test.ts",
    "test/base/rpc/json-reader.test.ts",
    "test/gateway/rest/codec.test.ts",
  ],
  "base/text": [
    "test/base/text/csv.test.ts",
    "test/services/webhook/targets/targets.test.ts",
    "test/cmd/import",
  ],
  "base/trace": ["test/base/trace", "test/cmd/serve/tracing"],
  "base/time": ["test/base/time/zone.test.ts", "test/services/analysis/describe/time/range.test.ts"],
};
