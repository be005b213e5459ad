import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const canPlay = spawnSync('bash', ['-c', 'command -v curl']).status === 0;
if (!canPlay)
  console.warn(
    'SKIPPED: the documented sessions are not run, since this machine lacks bash or curl. Install both to have them tested.',
  );

(canPlay || process.env['CI'] !== undefined ? it : it.skip).each([
  'docs/configuration.md',
  'docs/getting-started.md',
  'docs/commissions.md',
  'docs/operations.md',
  'docs/payouts.md',
])('every step of %s works as documented', async (document) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(__dirname, '../../../tools/document-session.mjs'),
    document,
  ]);
  expect(stdout).toMatch(new RegExp(`^\\d+ steps match ${document}`));
});

it('each page defines the key that its commands send', () => {
  const docs = join(__dirname, '../../../docs');
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const withoutKey = pages.filter((name) => {
    const page = readFileSync(join(docs, name), 'utf8');
    const [before] = page.split('$KEY', 1);
    return before !== page && !before?.includes('KEY=$(cat .data/api-key)');
  });
  expect(withoutKey).toEqual([]);
});

it('reports what is missing if the command line is not built', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-unbuilt-'));
  try {
    cpSync(join(__dirname, '../../../tools'), join(directory, 'tools'), { recursive: true });
    mkdirSync(join(directory, 'docs'));
    writeFileSync(join(directory, 'docs/getting-started.md'), '');
    const play = () =>
      spawnSync(process.execPath, [join(directory, 'tools/document-session.mjs')], {
        encoding: 'utf8',
      });
    expect(play()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /bundle\/standalone\.js and bundle\/ops\.js are missing\. Run: npm run build\n$/,
      ) as unknown,
    });
    mkdirSync(join(directory, 'bundle'));
    writeFileSync(join(directory, 'bundle/standalone.js'), '');
    expect(play()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/, but bundle\/ops\.js is missing/) as unknown,
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
