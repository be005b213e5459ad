import { runProgram } from './program.js';

try {
  process.exitCode = await runProgram(process.argv);
} catch (error) {
  process.stderr.write(
    `${error instanceof RangeError ? error.message : error instanceof Error ? (error.stack ?? '') : String(error)}\n`,
  );
  process.exitCode = 1;
}
