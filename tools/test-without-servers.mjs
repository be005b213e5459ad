// `npm run test:without-servers`: runs the suites that need a server, with every server hidden.
// Each must be skipped, and the run must end by itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { projects } from './projects.mjs';
import { testFiles } from './suites.mjs';
import { conclude } from './tally.mjs';

const root = join(import.meta.dirname, '..');
const endsWithinMs = 15 * 60_000;

const needServers = projects(root)
  .map((workspace) => [
    workspace,
    testFiles(workspace).filter((file) =>
      /\bdescribe((On|With)Servers?|WithSchemathesis)\(/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    ),
  ])
  .filter(([, files]) => files.length > 0);
const folder = mkdtempSync(join(tmpdir(), 'refledger-without-servers-'));
const output = join(folder, 'results.json');
const jest = spawn(
  process.execPath,
  [
    join(root, 'node_modules/jest/bin/jest.js'),
    '--projects',
    ...needServers.map(([workspace]) => workspace),
    '--json',
    `--outputFile=${output}`,
    '--runTestsByPath',
    ...needServers.flatMap(([, files]) => files),
  ],
  { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TEST_SERVERS: 'none' } },
);
let printed = '';
jest.stderr.setEncoding('utf8').on('data', (text) => (printed += text));
const late = setTimeout(() => jest.kill('SIGKILL'), endsWithinMs);
const [status, signal] = await once(jest, 'close');
clearTimeout(late);

const tally = { passed: 0, failed: 0, skipped: 0, failures: [] };
const check = (holds, failure) => {
  tally[holds ? 'passed' : 'failed'] += 1;
  if (!holds) tally.failures.push(failure);
};
check(status === 0, `the run exited with ${status ?? signal}, and printed:\n${printed}`);
if (signal === null) {
  const results = new Map(
    JSON.parse(readFileSync(output, 'utf8')).testResults.map((result) => [
      relative(root, result.name),
      result.assertionResults,
    ]),
  );
  for (const file of needServers.flatMap(([, files]) => files)) {
    check(
      results.get(file)?.some((test) => test.status === 'pending'),
      `${file} needs a hidden server, but was not skipped`,
    );
  }
}
rmSync(folder, { recursive: true });
conclude('npm run test:without-servers', tally);
