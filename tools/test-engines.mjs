// `npm run test:engines`: the suites of the EventStoreDB, MongoDB and Kafka adapters, and of the
// service as several processes over these engines.
import { runSuitesWithServers } from './with-servers.mjs';
import { conclude } from './tally.mjs';

conclude(
  'npm run test:engines',
  await runSuitesWithServers('engines', { args: process.argv.slice(2) }),
);
