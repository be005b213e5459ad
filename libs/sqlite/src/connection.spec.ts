import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Jest gives a test its own copy of the environment, so the built file runs in a child process.
const built = new URL('../dist/index.js', import.meta.url).href;
const newDirectory = (): string => mkdtempSync(join(realpathSync(tmpdir()), 'refledger-sqlite-'));
const [directory, elsewhere] = [newDirectory(), newDirectory()];
afterAll(() => [directory, elsewhere].forEach((each) => rmSync(each, { recursive: true })));

/**
 * A script that sorts more than its cache holds, and prints which unlinked files are open
 * meanwhile.
 */
const script = `
  import { readdirSync, readlinkSync } from 'node:fs';
  import { lockDirectory, openDatabase } from ${JSON.stringify(built)};
  // as the service does first
  lockDirectory(${JSON.stringify(directory)});
  const format = { name: 'rows', applicationId: 1, migrations: ['CREATE TABLE rows (id TEXT)'] };
  const db = openDatabase(${JSON.stringify(join(directory, 'rows.db'))}, { format, synchronous: 'normal' });
  db.exec('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO rows SELECT hex(randomblob(20)) FROM n');
  const sorted = db.prepare('SELECT id FROM rows ORDER BY id').iterate();
  sorted.next();
  const links = readdirSync('/proc/self/fd').flatMap((name) => { try { return readlinkSync('/proc/self/fd/' + name); } catch { return []; } });
  console.log(JSON.stringify(links.filter((link) => link.endsWith('(deleted)'))));
`;
const sortedIn = (env: NodeJS.ProcessEnv): readonly string[] => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[];
};

const whereLinksShow = process.platform === 'linux' ? it : it.skip;
if (process.platform !== 'linux')
  console.warn(
    'SKIPPED: the location of temporary files is not tested, since only Linux shows it (in /proc).',
  );

whereLinksShow(
  'temporary files are beside the first file that was opened, or where SQLITE_TMPDIR says',
  () => {
    expect(sortedIn({})).toEqual([expect.stringMatching(`^${directory}/etilqs_`)]);
    expect(sortedIn({ SQLITE_TMPDIR: elsewhere })).toEqual([
      expect.stringMatching(`^${elsewhere}/etilqs_`),
    ]);
  },
);
