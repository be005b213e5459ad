import { prepareServers, describeServer } from './servers/prepare.mjs';
import { runSuites } from './run-suites.mjs';

/**
 * Prepares the servers of a tier and what it needs `besides`, prints a list of them, and runs its
 * suites. In CI, a server that could not be installed is one failure, and nothing runs: a suite
 * whose server can be had may not be skipped.
 */
export const runSuitesWithServers = async (tier, { besides = [], args = [] } = {}) => {
  const servers = await prepareServers(besides);
  console.log(
    `Servers used by the suites:\n${servers.map((server) => `  ${describeServer(server)}\n`).join('')}`,
  );
  if (process.env.CI && servers.some(({ broken }) => broken)) {
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      failures: ['a server could not be installed, and CI must not skip its suites'],
    };
  }
  const tally = await runSuites(tier, { servers, args });
  for (const { engine, missing } of servers)
    if (missing !== undefined)
      console.log(`SKIPPED: the suites that need ${engine}. Missing: ${missing}`);
  return tally;
};
