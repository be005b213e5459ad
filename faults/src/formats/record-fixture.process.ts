// `node tools/record-fixture.mjs [release]`
import { recordFixture } from './record-fixture.js';

const [, , release] = process.argv;
if (release === undefined) throw new Error('name the release');
await recordFixture(release);
process.stdout.write(`recorded faults/fixtures/${release}\n`);
