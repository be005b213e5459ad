import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Results } from '../src/report/results.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const schema = fileURLToPath(new URL('../results/schema.json', import.meta.url));

/** Runs the built bench to its end. */
const bench = async (...args: string[]) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
};

describe('npm run bench', () => {
  let directory: string;
  beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'refledger-bench-'))));
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('measures rows over the real service, checks them, and leaves a table and JSON', async () => {
    const [data, results] = [join(directory, 'data'), join(directory, 'results')];
    const run = await bench(
      '--quick',
      '--rounds',
      '2',
      '--row',
      'stats',
      '--row',
      'post-affiliate',
      '--row',
      'rebuild-search',
      '--row',
      'webhook-latency',
      '--data',
      data,
      '--results',
      results,
    );

    expect({ ...run, stdout: '' }).toMatchObject({ code: 0 });
    for (const shown of [
      'GET /v1/affiliates/:id/stats',
      'bare Fastify GET',
      'ratio ≥ 0.50',
      'webhook received',
      'p99 ms',
    ])
      expect(run.stdout).toContain(shown);
    expect(run.stderr).toContain('stats: round 2 of 2');

    const [file = '', ...others] = await readdir(results);
    expect(others).toEqual([]);
    const written = JSON.parse(await readFile(join(results, file), 'utf8')) as Results;
    const ajv = addFormats.default(new Ajv.default({ strict: false }));
    expect({
      valid: ajv.validate(JSON.parse(await readFile(schema, 'utf8')) as object, written),
      errors: ajv.errors,
    }).toEqual({ valid: true, errors: null });
    expect(written.rows.map(({ name, failure }) => [name, failure])).toEqual([
      ['stats', null],
      ['post-affiliate', null],
      ['rebuild-search', null],
      ['webhook-latency', null],
    ]);
    for (const figure of written.rows.flatMap(({ figures }) => figures))
      expect(figure.rounds).toHaveLength(2);
    // all that is left of the run is the data set
    expect((await readdir(data)).map((name) => name.replace(/-[^-]*$/, ''))).toEqual([
      '500-conversions',
    ]);
  });

  it('exits with 1 when a response differs from the data set', async () => {
    const [data, results] = [join(directory, 'data'), join(directory, 'results')];
    const known = async () => join(data, (await readdir(data))[0] ?? '', 'known.json');
    expect(
      (
        await bench(
          '--quick',
          '--rounds',
          '1',
          '--row',
          'stats',
          '--data',
          data,
          '--results',
          results,
        )
      ).code,
    ).toBe(0);
    const text = await readFile(await known(), 'utf8');
    await writeFile(
      await known(),
      text.replace(/"amount":(\d+)/, (_all, amount: string) => `"amount":${Number(amount) + 1}`),
    );

    const run = await bench(
      '--quick',
      '--rounds',
      '1',
      '--row',
      'stats',
      '--row',
      'list',
      '--data',
      data,
      '--results',
      results,
    );

    expect(run.code).toBe(1);
    expect(run.stdout).toContain('failed: Error: GET /v1/affiliates/');
    // the other row was measured anyway
    expect(run.stdout).toContain('a page of 25, 64 connections');
  });

  it('exits with 130 on a signal, shows its results so far, and leaves no service behind', async () => {
    const [data, results] = [join(directory, 'data'), join(directory, 'results')];
    const child = spawn(
      process.execPath,
      [
        main,
        '--quick',
        '--row',
        'webhook-latency',
        '--row',
        'start',
        '--rounds',
        '1',
        '--data',
        data,
        '--results',
        results,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const ended = once(child, 'close');
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    await new Promise<void>((resolve) =>
      child.stderr
        .setEncoding('utf8')
        .on('data', (reported: string) => reported.includes('start: ') && resolve()),
    );
    child.kill('SIGTERM');

    expect((await ended)[0]).toBe(130);
    expect(stdout).toContain('webhook received');
    expect(stdout).not.toContain('to first response');
    expect(existsSync(results)).toBe(false);
    // the directories of the services are removed after the services have ended
    expect((await readdir(data)).filter((name) => name.startsWith('work-'))).toEqual([]);
  });

  it('lists its rows, and rejects an unknown one', async () => {
    expect(await bench('--list')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^post-conversion +POST/) as string,
    });
    expect(await bench('--row', 'nothing')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing') as string,
    });
  });
});
