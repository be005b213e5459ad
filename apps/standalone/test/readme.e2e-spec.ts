import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

it('works as the README says, step by step', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, '../../../tools/readme-session.mjs')]);
  expect(stdout).toMatch(/^\d+ steps, as the README says/);
}, 90_000);
