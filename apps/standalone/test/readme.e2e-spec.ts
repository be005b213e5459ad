import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const canPlay = spawnSync('bash', ['-c', 'command -v curl']).status === 0;
if (!canPlay) console.warn("SKIPPED: the README's first session is not played, since this machine lacks bash or curl. Install both to have it tested.");

(canPlay || process.env['CI'] !== undefined ? it : it.skip)('works as the README says, step by step', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, '../../../tools/readme-session.mjs')]);
  expect(stdout).toMatch(/^\d+ steps, as the README says/);
}, 90_000);
