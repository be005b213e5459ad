import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { overBudget } from './budgets.mjs';
import { build } from './build.mjs';
import { showProgress } from './progress.mjs';
import { workspacesWith } from './suites.mjs';
import { resultsOf, tallyOf } from './tally.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const root = join(import.meta.dirname, '..');
/**
 * How many workspaces run at a time. Two suites keep two cores busy, and more would only slow each
 * other down. Most suites of faults are in one workspace, which runs two itself.
 */
const atOnce = (tier) => (tier === 'faults' ? 1 : 2);

/**
 * Builds, and runs the suites of a tier, on these servers. Resolves to their tally. `args` may name
 * workspaces (`libs/domain`), to run only those, and have flags for Nx (`--skip-nx-cache`).
 */
export const runSuites = async (tier, { servers = [], args = [] } = {}) => {
  if (!(await build())) return failed('the build failed');
  const flags = args.filter((arg) => arg.startsWith('-'));
  const named = args.filter((arg) => !flags.includes(arg));
  const workspaces = workspacesWith(tier).filter(
    (workspace) => named.length === 0 || named.includes(workspace),
  );
  if (workspaces.length === 0) return failed(`no suites of ${named.join(', ')} are of this tier`);
  for (const workspace of workspaces) rmSync(resultsOf(workspace, tier), { force: true });
  const progress = showProgress(workspaces, tier);
  const env = {
    ...process.env,
    ...temporaryFolder(),
    ...progress.env,
    REFLEDGER_TEST_SERVERS: availableServers(servers),
  };
  const queue = longestFirst(workspaces, tier);
  const statuses = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      statuses.push(await runWorkspaces(next, tier, { flags, env }));
  };
  await Promise.all(Array.from({ length: atOnce(tier) }, work));
  const counts = progress.stop();
  const tally = tallyOf(workspaces, tier);
  if (statuses.some((status) => status !== 0) && tally.failed === 0) tally.failed = 1;
  const over = overBudget(tier, counts);
  return { ...tally, failed: tally.failed + over.length, failures: [...tally.failures, ...over] };
};

/**
 * The runs, in order: one for each workspace of `longest-suites.json`, longest first, and one for all
 * others, since each call of Nx takes seconds.
 */
const longestFirst = (workspaces, tier) => {
  const longest = JSON.parse(readFileSync(join(root, 'tools/longest-suites.json'), 'utf8'))[tier];
  const [first, others] = [true, false].map((isLong) =>
    workspaces.filter((workspace) => longest.includes(workspace) === isLong),
  );
  first.sort((a, b) => longest.indexOf(a) - longest.indexOf(b));
  return [...first.map((workspace) => [workspace]), others].filter((each) => each.length > 0);
};

const runWorkspaces = async (workspaces, tier, { flags, env }) => {
  const nx = spawn(
    join(root, 'node_modules/.bin/nx'),
    [
      'run-many',
      '-t',
      tier,
      '-p',
      ...workspaces.map(nameOf),
      '--parallel=1',
      '--output-style=static',
      ...flags,
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env },
  );
  const [status] = await once(nx, 'close');
  return status;
};

const nameOf = (workspace) =>
  JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')).name;

const failed = (failure) => ({ passed: 0, failed: 1, skipped: 0, failures: [failure] });

/**
 * Becomes part of Nx's cache key: a pass against other servers is a different pass, and the server
 * that a URL names may change at any time.
 */
const availableServers = (all) =>
  JSON.stringify(
    all.map((server) => (server.from === 'environment' ? { ...server, at: Date.now() } : server)),
  );
