import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const root = join(__dirname, '../../..');

const inThread = `
const { parentPort, workerData } = require('node:worker_threads');
const { ESLint } = require('eslint');
const eslint = new ESLint({ cwd: workerData.root });
const lint = (text) => eslint.lintText(text, { filePath: 'tools/x.mjs' });
Promise.all(workerData.scripts.map(lint)).then((results) =>
  parentPort.postMessage(results.map(([{ messages }]) => messages)),
);
`;

/**
 * Lints scripts as if they were files in tools. ESLint imports its configuration as a module, which
 * only works outside of Jest's modules, so it runs in a thread.
 */
const lint = async (...scripts: readonly string[]): Promise<unknown[][]> => {
  const thread = new Worker(inThread, { eval: true, workerData: { root, scripts } });
  const exit = once(thread, 'exit');
  const [messages] = (await once(thread, 'message')) as [unknown[][]];
  await exit;
  return messages;
};

it('a comment with a word that strangers stumbled over fails the lint', async () => {
  const [plain, worn] = await lint(
    '// Opens it again if necessary.\n',
    '// Opens it anew if need be.\n',
  );
  expect(plain).toEqual([]);
  const fault = { ruleId: 'no-warning-comments', severity: 2 };
  expect(worn).toMatchObject([
    { ...fault, message: expect.stringContaining("'anew'") as unknown },
    { ...fault, message: expect.stringContaining("'if need be'") as unknown },
  ]);
});
