// `npm run test:long`: everything in full, in parts of at most 90 minutes. It is for a release and for
// machines with time. `npm run test:long -- PART…` runs these parts, and without PART all that have not
// passed on this commit. Results are kept in `.test-long/<commit>/<part>.json`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { prepareServers, describeServer } from './servers/prepare.mjs';
import { schemathesis } from './servers/schemathesis.mjs';
import { workspacesWith } from './suites.mjs';
import { conclude, tallyOf } from './tally.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const root = join(import.meta.dirname, '..');

const full = { TEST_COUNTS: 'full', TEST_SEED: 'random' };
/** The suites of a tier in these workspaces, or in all that have some; `files` are patterns. */
const suites = (tier, { workspaces = workspacesWith(tier), files = [], env = full } = {}) =>
  workspaces.map((workspace) => ({ workspace, tier, files, env }));

/** The suites of each part, in order. */
const parts = {
  'random-seeds': suites('test'),
  services: suites('long', { workspaces: ['acceptance'] }),
  engines: [
    ...suites('engines'),
    ...suites('engines', {
      workspaces: ['libs/read-store', 'libs/delivery-store', 'libs/webhooks'],
      files: ['mongodb/'],
      env: { ...full, TEST_MONGODB: 'standalone' },
    }),
  ],
  clusters: [
    ...suites('long', { workspaces: workspacesWith('long').filter(isLibrary) }),
    ...suites('long', {
      workspaces: ['faults'],
      files: ['elections', 'pauses', 'services-restart', 'two-ledgers'],
    }),
  ],
  faults: suites('faults'),
  measurements: suites('long', { workspaces: ['faults'], files: ['attacks', 'cost-of-requests'] }),
};

function isLibrary(workspace) {
  return workspace.startsWith('libs/');
}

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
const isClean = git('status', '--porcelain') === '';
const commit = git('rev-parse', 'HEAD');
const folder = join(root, '.test-long', commit);
const resultOf = (part) => join(folder, `${part}.json`);
const hasPassed = (part) =>
  isClean &&
  existsSync(resultOf(part)) &&
  JSON.parse(readFileSync(resultOf(part), 'utf8')).failed === 0;

const chosen = process.argv.slice(2);
const unknown = chosen.filter((part) => !(part in parts));
if (unknown.length > 0) {
  console.error(
    `there is no part ${unknown.join(', ')}. The parts are: ${Object.keys(parts).join(', ')}`,
  );
  process.exit(2);
}
if (!isClean) console.log('There are uncommitted changes, so the results are not kept.');

const temporary = temporaryFolder();

const run = ({ workspace, tier, files, env }) => {
  spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=jest-results.${tier}.json`,
      ...files,
    ],
    {
      cwd: join(root, workspace),
      stdio: 'inherit',
      env: { ...process.env, ...temporary, ...env, TEST_TIER: tier },
    },
  );
  return tallyOf([workspace], tier);
};

const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  failures: [...a.failures, ...b.failures],
});
const none = { passed: 0, failed: 0, skipped: 0, failures: [] };

const runPart = (part) => {
  const begun = performance.now();
  const tally = parts[part].map(run).reduce(add, none);
  const minutes = Math.round((performance.now() - begun) / 6_000) / 10;
  if (isClean) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(resultOf(part), JSON.stringify({ ...tally, minutes }, null, 2));
  }
  console.log(`${part}: ${tally.passed} passed, ${tally.failed} failed in ${minutes} minutes`);
  return tally;
};

if (!(await build())) process.exit(1);
for (const server of await prepareServers([schemathesis])) console.log(describeServer(server));
const due = chosen.length > 0 ? chosen : Object.keys(parts).filter((part) => !hasPassed(part));
conclude('npm run test:long', due.map(runPart).reduce(add, none));
