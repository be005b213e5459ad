// Adds up test results. As a program: adds up the tallies of all commands of .ci/run, in one line.
import { appendFileSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = join(import.meta.dirname, '..');
/** The file in which Jest leaves the results of a workspace's suites of a tier. */
export const resultsOf = (workspace, tier) => join(root, workspace, `jest-results.${tier}.json`);

/**
 * Counts the tests of these workspaces from Jest's result files. A workspace without one counts as
 * a failure.
 */
export const tallyOf = (workspaces, tier) => {
  const tally = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for (const workspace of workspaces) {
    if (!existsSync(resultsOf(workspace, tier))) {
      tally.failed += 1;
      tally.failures.push(`${workspace} ran no tests: an earlier step failed`);
      continue;
    }
    const result = JSON.parse(readFileSync(resultsOf(workspace, tier), 'utf8'));
    tally.passed += result.numPassedTests;
    tally.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
    tally.skipped += result.numPendingTests + result.numTodoTests;
    tally.failures.push(...failuresOf(result));
  }
  return tally;
};

/**
 * Lists each failure with the first lines of its reason, because people look at the end of the
 * output first.
 */
const failuresOf = ({ testResults }) =>
  testResults.flatMap(({ name, message, assertionResults, status }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const file = relative(root, name);
    if (failed.length > 0)
      return failed.map(
        ({ fullName, failureMessages }) => `${file}: ${fullName}${reason(failureMessages[0])}`,
      );
    return status === 'failed' ? [`${file}${reason(message)}`] : [];
  });

const reason = (message) =>
  stripVTControlCharacters(message ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 12)
    .map((line) => `\n    ${line.slice(0, 300)}`)
    .join('');

const inWords = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/**
 * Ends a command with its failures, the time that it took, and one line of counts. Where .ci/run adds up several commands,
 * it also records the counts for it.
 */
export const conclude = (command, { passed, failed, skipped, failures }) => {
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  console.log(`${command} took ${(process.uptime() / 60).toFixed(1)} minutes`);
  const { TEST_TALLY: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ passed, failed, skipped })}\n`);
  console.log(`${file ? `of ${command}: ` : ''}${inWords({ passed, failed, skipped })}`);
  process.exitCode = failed === 0 ? 0 : 1;
};

if (
  process.argv[1] !== undefined &&
  realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  const [, , file, commands] = process.argv;
  const tallies = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const sum = (name) => tallies.reduce((total, tally) => total + tally[name], 0);
  // a command that did not reach its end has recorded nothing
  const failed = sum('failed') + Math.max(0, Number(commands) - tallies.length);
  console.log(inWords({ passed: sum('passed'), failed, skipped: sum('skipped') }));
  process.exitCode = failed === 0 ? 0 : 1;
}
