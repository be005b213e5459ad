// `npm run release:check`: names each thing that a release of this tree lacks, and fails if there is one.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { releaseFacts, releaseNeeds } from './release-needs.mjs';

const root = join(import.meta.dirname, '..');

if (!(await build())) process.exit(1);
const { currentFormats } = await import('../faults/dist/formats/current-formats.js');
const needs = releaseNeeds(releaseFacts(root, await currentFormats()));
const generated = spawnSync(process.execPath, [join(root, 'tools/generate.mjs'), '--check'], {
  stdio: 'inherit',
});
if (generated.status !== 0) needs.push('Generated documents are not fresh. Run: npm run generate');
for (const need of needs) console.error(`release: ${need}`);
if (needs.length > 0) process.exitCode = 1;
else console.log('Nothing is missing for a release.');
