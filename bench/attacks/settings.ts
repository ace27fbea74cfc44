/** The configuration and secrets of the server of this benchmark and its callers. */
export const secret = "a-secret-of-webhooks";
export const token = "a-token-of-project-1";

export const config = {
  log: { level: "error" },
  projects: [{ id: 1, appids: ["app"], zone: "UTC" }],
  analysis: { tokens: [{ name: "all", token, projects: "*" }] },
  webhook: {
    channels: { demo: { secrets: [{ value: secret }], targets: ["queue"] } },
    targets: { queue: { kind: "pull" } },
  },
  parser: { separator: ":ta:" },
};
