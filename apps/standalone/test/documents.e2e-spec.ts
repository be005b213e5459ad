import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const canPlay = spawnSync('bash', ['-c', 'command -v curl']).status === 0;
if (!canPlay) console.warn('SKIPPED: the sessions of the documents are not played, since this machine lacks bash or curl. Install both to have them tested.');

(canPlay || process.env['CI'] !== undefined ? it : it.skip).each(['README.md', 'docs/operations.md'])('works as %s says, step by step', async (document) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, '../../../tools/document-session.mjs'), document]);
  expect(stdout).toMatch(new RegExp(`^\\d+ steps, as ${document} says`));
}, 300_000);
