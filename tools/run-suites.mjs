import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { showProgress } from './progress.mjs';
import { prepareServers, describeServer } from './servers/prepare.mjs';
import { resultsOf, tallyOf } from './tally.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const root = join(import.meta.dirname, '..');

/**
 * Prepares the servers of the suites and what they need `besides`, prints a list of them, runs
 * these Nx targets, and resolves to the tally of the suites of `workspaces`. In CI, a server that
 * could not be installed makes it resolve to one failure without running anything.
 */
export const runSuites = async ({ targets, workspaces, args = [], besides = [] }) => {
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
  for (const workspace of workspaces) rmSync(resultsOf(workspace), { force: true });
  const progress = showProgress(workspaces);
  const nx = spawn('npx', ['nx', 'run-many', '-t', ...targets, '--output-style=static', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      ...temporaryFolder(),
      ...progress.env,
      REFLEDGER_TEST_SERVERS: availableServers(servers),
    },
  });
  const [status] = await once(nx, 'close');
  progress.stop();
  // a run with arguments may cover only some workspaces
  const tally = tallyOf(
    args.length === 0
      ? workspaces
      : workspaces.filter((workspace) => existsSync(resultsOf(workspace))),
  );
  for (const { engine, missing } of servers)
    if (missing !== undefined)
      console.log(`SKIPPED: the suites that need ${engine}. Missing: ${missing}`);
  if (status !== 0 && tally.failed === 0) tally.failed = 1;
  return tally;
};

/**
 * Becomes part of Nx's cache key: a pass against other servers is a different pass, and the server
 * that a URL names may change at any time.
 */
const availableServers = (all) =>
  JSON.stringify(
    all.map((server) => (server.from === 'environment' ? { ...server, at: Date.now() } : server)),
  );
