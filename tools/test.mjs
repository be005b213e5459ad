// `npm test`: gets the servers of the distributed engines and says which they are; builds, lints, checks types and runs every suite; ends with one line that counts the tests of all suites.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { projects } from './projects.mjs';
import { prepareServers, told } from './servers/prepare.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const servers = await prepareServers();
console.log(`Servers that the suites meet:\n${servers.map((server) => `  ${told(server)}\n`).join('')}`);
if (process.env.CI && servers.some(({ broken }) => broken)) {
  console.log('0 passed, 1 failed: where CI is set, a server that can be had may not be left out');
  process.exit(1);
}

const results = projects(root).map((project) => join(root, project, 'jest-results.json'));
for (const file of results) rmSync(file, { force: true });

const run = spawnSync('npx', ['nx', 'run-many', '-t', 'build', 'lint', 'typecheck', 'test', '--output-style=static', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit', env: { ...process.env, REFLEDGER_TEST_SERVERS: whatIsMet(servers) } });

const total = { passed: 0, failed: 0, skipped: 0, suites: 0 };
const failures = [];
for (const file of results.filter((path) => existsSync(path))) {
  const result = JSON.parse(readFileSync(file, 'utf8'));
  total.suites += result.numTotalTestSuites;
  total.passed += result.numPassedTests;
  total.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  total.skipped += result.numPendingTests + result.numTodoTests;
  failures.push(...failuresOf(result));
}
// part of a run of everything, not of one with arguments of its own; 2: it can't be run here, and said so
const compose = process.argv.length > 2 ? 2 : spawnSync(process.execPath, [join(root, 'tools/test-compose.mjs')], { cwd: root, stdio: 'inherit' }).status;
if (compose === 0) total.passed += 1;
else if (compose !== 2) total.failed += 1;
const missing = results.filter((path) => !existsSync(path)).length;
if (run.status !== 0 && total.failed === 0) total.failed = 1;
if (missing > 0) console.log(`${missing} projects ran no tests: an earlier step failed`);
for (const { engine, missing } of servers) if (missing !== undefined) console.log(`SKIPPED: what needs ${engine}. Missing: ${missing.split('\n')[0]}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = run.status === 0 && total.failed === 0 && missing === 0 ? 0 : 1;

/** What failed, each with the first lines of its reason: the end of the output is where one looks first. */
function failuresOf({ testResults }) {
  const reason = (message) => stripVTControlCharacters(message ?? '').split('\n').filter((line) => line.trim() !== '').slice(0, 12).map((line) => `\n    ${line.slice(0, 300)}`).join('');
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length > 0) return failed.map(({ fullName, failureMessages }) => `${relative(root, name)}: ${fullName}${reason(failureMessages[0])}`);
    return assertionResults.length === 0 ? [`${relative(root, name)} could not be run${reason(message)}`] : [];
  });
}

/** Goes into the key under which Nx keeps a pass: one against other servers is another pass, and what a URL names may change at any time. */
function whatIsMet(all) {
  return JSON.stringify(all.map((server) => (server.from === 'environment' ? { ...server, at: Date.now() } : server)));
}
