import { createRandom } from "./random.ts";
import { generateRecords } from "./generate-records.ts";
import { generateRequest } from "./generate-request.ts";
import { spoilers } from "./spoil-request.ts";
import { scenes, nowOf } from "./scenes.ts";
import { ingest } from "./ingest.ts";
import { analyze } from "./analyze.ts";
import { Refused } from "./refused.ts";
import { openSubject } from "./subject.ts";
import { findDifference } from "./compare.ts";
const n = Number(process.argv[2] ?? 50), seed = Number(process.argv[3] ?? 7), only = process.argv[4];
const show = Number(process.argv[5] ?? 6);
for (const scene of scenes) {
  if (only && only !== "-" && String(scene.project.projectId) !== only) continue;
  const random = createRandom(seed + scene.project.projectId);
  const records = generateRecords(random, scene, 700);
  const data = ingest(scene.project, records);
  await using subject = await openSubject(scene.project, records, nowOf(scene));
  let bad = 0, ms = 0, refMs=0, slow=0;
  const kinds = new Map<string, number>();
  for (let i = 0; i < n; i++) {
    const request = generateRequest(random, scene);
    let expected; let t0=performance.now();
    try { expected = analyze(data, nowOf(scene), request); } catch (e) { if (!(e instanceof Refused)) throw e; console.log("REF REFUSED", (e as Error).message); continue; }
    refMs+=performance.now()-t0;
    const t = performance.now();
    try {
      const got = await subject.analyze(request);
      const d = findDifference(expected, got);
      if (d) { bad++; if (bad <= show) console.log("DIFF", d.slice(0, 900), "\n   ", JSON.stringify(request)); }
    } catch (e) { bad++; if (bad <= show) console.log("ERR", (e as Error).name, (e as Error).message.slice(0, 500), "\n  ", (e as Error).stack?.slice(0,400), JSON.stringify(request)); }
    const took=performance.now() - t; ms += took; slow=Math.max(slow,took);
  }
  console.log(scene.project.zone, "bad", bad, "of", n, Math.round(ms / n), "ms each, ref", Math.round(refMs/n), "slowest", Math.round(slow));
  for (const [name, spoil] of Object.entries(spoilers)) {
    const request = structuredClone(generateRequest(random, scene));
    spoil(request, random);
    try { await subject.analyze(request); console.log("NOT REFUSED", name) } catch (e) { if(!(e instanceof Refused)) console.log("SPOILED ERR", name, (e as Error).stack?.slice(0,300)); }
  }
}
