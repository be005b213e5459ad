import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const directory = join(__dirname, 'left-open');

it('fails a file that leaves a handle open, names the handle, and ends the run', async () => {
  const args = [require.resolve('jest/bin/jest'), '--config', join(directory, 'jest.config.cjs')];
  const env = { ...process.env, TEST_PATIENCE: '1' };
  const jest = spawn(process.execPath, args, {
    cwd: directory,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  jest.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));

  const [code] = (await once(jest, 'close')) as [number];

  expect(code).toBe(1);
  expect(printed).toMatch(/a server at .*"127\.0\.0\.1"/);
  const [, pid] = /process (\d+): sleep 600\n.*left-open\.fixture\.ts:8/.exec(printed) ?? [];
  expect(process.kill(Number(pid))).toBe(true);
  expect(printed).toMatch(/a worker thread\n.*left-open\.fixture\.ts:9/);
  expect(printed).toContain('1 failed');
});
