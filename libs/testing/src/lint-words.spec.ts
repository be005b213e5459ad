import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

/** Lints a script as if it were a file in tools. */
const lint = (input: string) =>
  spawnSync(
    process.execPath,
    [join(root, 'node_modules/eslint/bin/eslint.js'), '--stdin', '--stdin-filename', 'tools/x.mjs'],
    { cwd: root, input, encoding: 'utf8' },
  );

it('a comment with a word that strangers stumbled over fails the lint', () => {
  expect(lint('// Opens it again if necessary.\n')).toMatchObject({ status: 0, stdout: '' });
  expect(lint('// Opens it anew if need be.\n')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/'anew'[^]*no-warning-comments/) as unknown,
  });
});
