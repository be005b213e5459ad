// `node tools/record-fixture.mjs`: records faults/fixtures/<version> with the current build, for the
// version in package.json or the one given. faults/README.md says what is in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAndRun } from './build-and-run.mjs';

if (process.argv[2] === undefined) {
  const file = join(import.meta.dirname, '../package.json');
  process.argv.push(JSON.parse(readFileSync(file, 'utf8')).version);
}
await buildAndRun('faults/dist/formats/record-fixture.process.js');
