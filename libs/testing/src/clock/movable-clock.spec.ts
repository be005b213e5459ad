import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { day, MovableClock } from './movable-clock.js';
import { eventually } from '../wait.js';

/** Waits for an hour on the clock that moves, and on all others; tells the time until then. */
const waiting = `
  import { createRequire } from 'node:module';
  import { setTimeout as movable } from 'node:timers';
  const { setTimeout: ofCommonJs } = createRequire(import.meta.url)('node:timers');
  const end = (text) => { console.log(text); process.exit(); };
  movable(() => end('movable'), 3_600_000);
  ofCommonJs(() => end('CommonJS'), 3_600_000);
  setTimeout(() => end('global'), 3_600_000);
  setInterval(() => console.log(new Date().toISOString()), 5);
`;

it('leaves the Date of kafkajs alone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-clock-'));
  const clock = new MovableClock(join(directory, 'clock'));
  clock.startAt(day);
  const kafka = join(directory, 'node_modules', 'kafkajs');
  mkdirSync(kafka, { recursive: true });
  writeFileSync(join(kafka, 'index.js'), 'module.exports = () => Date.now()');
  const script = `console.log(Date.now() - require(${JSON.stringify(kafka)})())`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', script], {
    env: clock.env,
  });
  expect(Math.abs(Number(stdout) - day)).toBeLessThan(day / 2);
  rmSync(directory, { recursive: true });
});

it('moves Date, and lets time pass for the timers of ES modules alone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-clock-'));
  const clock = new MovableClock(join(directory, 'clock'));
  const child = execFile(process.execPath, ['--input-type=module', '--eval', waiting], {
    env: clock.env,
  });
  let told = '';
  child.stdout?.on('data', (text: string) => (told += text));
  await eventually(() => expect(told).toMatch(/^20/));
  await clock.moveTo(new Date('2101-01-31').getTime() - clock.now());
  await eventually(() => expect(told).toMatch(/^2101-01-31/m));
  await clock.pass(3_600_000);
  await eventually(() => expect(told).toMatch(/^movable$/m));
  expect(told).not.toMatch(/CommonJS|global/);
  rmSync(directory, { recursive: true });
});
