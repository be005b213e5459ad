// `npm test`: builds, and runs the suites that need only Node, the black-box suites against the
// standalone service among them. Ends with one line that counts all tests.
import { runSuites } from './run-suites.mjs';
import { conclude } from './tally.mjs';

conclude('npm test', await runSuites('test', { args: process.argv.slice(2) }));
