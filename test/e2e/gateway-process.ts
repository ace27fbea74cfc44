import { openGateway, type TestGatewayOptions } from "../gateway/gateway-server.ts";

// A gateway over the test services, see `openServerProcess`.
const options = JSON.parse(process.argv[2]!) as TestGatewayOptions;
const { url } = await openGateway(options);
process.stdout.write(JSON.stringify({ url }));
