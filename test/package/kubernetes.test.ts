import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import { folderWith } from "../cmd/config/load.ts";
import { runEngage } from "../cmd/run-engage.ts";
import {
  applied,
  budget,
  configMap,
  deployment,
  findUnknownFields,
  manifests,
  secretExample,
  services,
  validate,
} from "./manifests.ts";

const pod = deployment.spec!.template.spec!;
const [container] = pod.containers;
const containers = [...pod.initContainers!, ...pod.containers];
const secretFolder = "/run/secrets/engage";
const secrets: Readonly<Record<string, string>> = {
  "postgres-url": "postgresql://engage:a-password@postgres:5432/engage?sslmode=verify-full\n",
  "clickhouse-password": "a password of the test\n",
  "query-token": "a query token of the test\n",
  "webhook-secret": "a webhook secret of the test\n",
};

/** Returns the folder with the mounted files of a pod. */
function mountedFiles(): string {
  const sha256 = createHash("sha256").update("a key").digest("hex");
  const cwd = folderWith(secrets);
  const text = configMap
    .data!["engage.yaml"]!.replace(/sha256: REPLACE .*/, `sha256: ${sha256}`)
    .replaceAll(`${secretFolder}/`, `${cwd}/`);
  return folderWith({ "engage.yaml": text });
}

test("every manifest is valid, and has no field that Kubernetes does not know", async () => {
  expect(applied).toEqual(["configmap.yaml", "deployment.yaml", "disruption-budget.yaml", "service.yaml"]);
  for (const manifest of manifests) validate(manifest);
  expect(await findUnknownFields(manifests)).toBe("");
});

test("the checks find wrong values and unknown fields", async () => {
  const [first] = manifests.filter(({ kind }) => kind === "Deployment");
  const text = JSON.stringify(first);
  expect(() => validate(JSON.parse(text.replace('"replicas":2', '"replicas":"2"')))).toThrow("replicas");
  expect(() => validate(JSON.parse(text.replace('"2Gi"', '"2Gib"')))).toThrow("memory");
  const unknown = JSON.parse(text.replace('"readinessProbe"', '"readynessProbe"'));
  expect(await findUnknownFields([unknown])).toMatch(/TS2353: .*readynessProbe/);
});

test("engage.yaml of the ConfigMap passes engage config --check", async () => {
  const cwd = mountedFiles();
  const { code, stdout, stderr } = await runEngage(["config", "--check"], { cwd });
  expect([code, stderr, stdout]).toEqual([
    0,
    "",
    expect.stringContaining("engage.yaml: no problems found\n"),
  ]);
  const { config } = loadConfig({ env: {}, cwd });
  expect(config).toMatchObject({
    stores: { driver: "shared", postgres: { url: secrets["postgres-url"]!.trim() } },
    events: { driver: "clickhouse" },
    listen: { host: "0.0.0.0", port: container!.ports![0]!.containerPort },
    data: "/data",
  });
});

test("engage.yaml with its placeholder is refused", async () => {
  const cwd = folderWith({ "engage.yaml": configMap.data!["engage.yaml"]! });
  const { code, stderr } = await runEngage(["config", "--check"], { cwd });
  expect(code).not.toBe(0);
  expect(stderr).toContain("auth.keys[0].sha256");
});

test("the example of the Secret cannot be applied, and has the files that engage.yaml names", () => {
  const { apiVersion, kind } = secretExample as unknown as (typeof manifests)[number];
  expect([apiVersion, kind, secretExample.metadata?.name]).toEqual(["v1", "Secret", "engage"]);
  const data = secretExample.data!;
  const decoded = Object.values(data).filter((value) => /^[A-Za-z0-9+/]*={0,2}$/.test(value));
  expect(decoded).toEqual([]);
  const named = [...configMap.data!["engage.yaml"]!.matchAll(/file: \/run\/secrets\/engage\/([\w-]+)/g)];
  expect(named.map(([, name]) => name).sort()).toEqual(Object.keys(data).sort());
  expect(Object.keys(data).sort()).toEqual(Object.keys(secrets).sort());
});

test("all objects select the pods of the Deployment, of which one may be away", () => {
  const labels = deployment.spec!.template.metadata!.labels!;
  expect(deployment.spec!.selector.matchLabels).toEqual(labels);
  expect(budget.spec!.selector!.matchLabels).toEqual(labels);
  expect(services.map(({ spec }) => spec!.selector)).toEqual([labels, labels]);
  const ports = services.flatMap(({ spec }) => spec!.ports!.map(({ targetPort }) => targetPort));
  expect(new Set(ports)).toEqual(new Set([container!.ports![0]!.name]));
  expect(deployment.spec!.replicas).toBeGreaterThan(Number(budget.spec!.maxUnavailable));
  expect(deployment.spec!.strategy!.rollingUpdate!.maxUnavailable).toBe(0);
});

test("a pod has time to leave balancers and to finish its calls", () => {
  const { config } = loadConfig({ env: {}, cwd: mountedFiles() });
  const [command, seconds] = container!.lifecycle!.preStop!.exec!.command!;
  expect(command).toBe("sleep");
  const neededMs = Number(seconds) * 1_000 + config.drainMs;
  expect(pod.terminationGracePeriodSeconds! * 1_000).toBeGreaterThan(neededMs);
  const { readinessProbe, startupProbe, livenessProbe } = container!;
  expect([readinessProbe?.grpc?.port, startupProbe?.grpc?.port]).toEqual([
    config.listen.port,
    config.listen.port,
  ]);
  expect(livenessProbe?.httpGet).toEqual({ path: "/healthz", port: "calls" });
  // Balancers leave a pod that reports to be draining before it ends.
  const noticeSeconds = readinessProbe!.periodSeconds! * readinessProbe!.failureThreshold!;
  expect(noticeSeconds).toBeLessThan(Number(seconds));
});

test("containers have no rights, and write to /data only", () => {
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
  });
  for (const { image, securityContext, volumeMounts, resources } of containers) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const writable = volumeMounts!.filter(({ readOnly }) => !readOnly);
    expect(writable).toEqual([{ name: "data", mountPath: "/data" }]);
    expect(Object.keys(resources!.limits!)).toEqual(["memory"]);
    expect(image).toBe(container!.image);
  }
  const volumes = Object.fromEntries(pod.volumes!.map(({ name, ...source }) => [name, source]));
  expect(volumes).toMatchObject({
    data: { emptyDir: { sizeLimit: "10Gi" } },
    config: { configMap: { name: configMap.metadata!.name } },
    secrets: { secret: { secretName: secretExample.metadata!.name, defaultMode: 0o440 } },
  });
  expect(pod.initContainers!.map(({ command }) => command)).toEqual([
    ["node", "dist/cmd/engage.js", "migrate"],
  ]);
});
