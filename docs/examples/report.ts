// Reports a week of logins with the platform's own SDK: npx node docs/examples/report.ts [HOST:PORT]
import { initWithBatchMode } from "thinkingdata-node";

const place = process.argv[2] ?? "127.0.0.1:8080";
const sdk = initWithBatchMode("demo-app", `http://${place}`, { batchSize: 100 });
// The SDK writes local times.
sdk.setSuperProperties({ "#zone_offset": -new Date().getTimezoneOffset() / 60 });

const cities = ["Berlin", "Köln", "Porto"];
// The last of them is yesterday.
const usersByDay = [3, 5, 4, 8, 7, 11, 9];
let count = 0;
for (const [i, users] of usersByDay.entries()) {
  const time = new Date(Date.now() - (usersByDay.length - i) * 86_400_000);
  for (let user = 1; user <= users; user++) {
    sdk.track({ accountId: `user-${user}`, event: "login", time, properties: { city: cities[user % 3] } });
    count++;
  }
}
for (let user = 1; user <= Math.max(...usersByDay); user++) {
  sdk.userSet({ accountId: `user-${user}`, properties: { level: user } });
}
sdk.flush((error?: Error) => console.log(error?.message ?? `${count} logins are on disk`));
