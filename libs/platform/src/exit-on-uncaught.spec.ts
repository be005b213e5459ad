import { spawnSync } from 'node:child_process';

const built = (name: string): string =>
  JSON.stringify(new URL(`../dist/${name}.js`, `file://${__dirname}/`).href);
const program = `
  const { exitOnUncaught } = await import(${built('exit-on-uncaught')});
  const { newLogger } = await import(${built('logger')});
  exitOnUncaught(newLogger('info', 'test'));
  const error = Object.assign(new Error('it broke'), { keyValue: 'jane@example.com' });
`;

it.each([
  ['an error', 'throw error;'],
  ['a rejection', 'void Promise.reject(error); setInterval(() => undefined, 1_000);'],
])('logs %s that nothing has caught, without its fields, and exits with 1', (_, ending) => {
  const args = ['--input-type=module', '--eval', program + ending];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', err: { message: 'it broke' } });
  expect(stderr).not.toContain('jane');
});
