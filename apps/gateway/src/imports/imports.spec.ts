import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError, type Position } from '@refledger/contracts';
import { newMetrics, type Logger } from '@refledger/platform';
import type { Caller } from '@refledger/queries';
import type { NdjsonBody } from '../http/request/ndjson-body.js';
import { Imports } from './imports.js';
import type { ImportKind } from './run-import.js';

interface Result {
  readonly line?: number;
  readonly status?: number;
  readonly object?: string;
}

const caller = (account: string): Caller => ({
  accountId: `acct_${account}`,
  keyId: 'key_1',
  scope: 'admin',
});

describe('Imports', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-imports-'));
  afterAll(() => rm(directory, { recursive: true }));
  const logged = jest.fn();
  beforeEach(() => logged.mockClear());

  const metrics = newMetrics();
  const inFlight = async (): Promise<number | undefined> =>
    (await metrics.importsInFlight.get()).values[0]?.value;
  const setUp = (over: object = {}, inFolder = directory): Imports =>
    new Imports(
      {
        consistency: { readHead: () => Promise.resolve('7' as Position) },
        metrics,
        logger: { error: logged } as Partial<Logger> as Logger,
        directory: inFolder,
        maxBytes: 10_000_000,
      },
      {
        slots: { total: 3, perAccount: 2 },
        maxInFlight: 4,
        maxLines: 100_000,
        maxLineBytes: 100,
        ...over,
      },
    );

  /** A body whose client sends these texts, and then waits until `end` is called. */
  const bodyOf = (...texts: readonly string[]) => {
    let end: (error?: Error) => void = () => undefined;
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error));
    });
    async function* chunks(): AsyncGenerator<Buffer> {
      for (const text of texts) yield await Promise.resolve(Buffer.from(text));
      await ended;
    }
    const body: NdjsonBody = {
      chunks: chunks(),
      readLine: (bytes) => JSON.parse(bytes.toString()) as unknown,
      isClientGone: () => false,
    };
    return { body, end };
  };
  /** Numbers, of which only the even ones are accepted. */
  const evenNumbers: ImportKind<number> = {
    read: (json) => Number(json),
    recordOf: (value) => String(value),
    run: (value) =>
      value % 2 === 0
        ? Promise.resolve({ id: `pay_${value}`, how: 'updated', position: '9' as Position })
        : Promise.reject(new DomainError('not_found', 'odd')),
  };
  const start = (imports: Imports, body: NdjsonBody, kind = evenNumbers, account = 'a') =>
    imports.start(
      {
        caller: caller(account),
        context: { requestId: 'stored-1' },
        responseId: 'request-1',
        body,
      },
      kind,
    );
  const resultsOf = async (ndjson: AsyncIterable<Buffer> | undefined): Promise<Result[]> => {
    let text = '';
    for await (const piece of ndjson ?? []) text += piece.toString();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Result]));
  };

  it('has a result for each line, then the end with their counts and the latest position', async () => {
    const { body, end } = bodyOf('2\n3', '\n4\n');
    end();
    const { ndjson, headers, status } = await start(setUp(), body);
    expect([status, headers]).toEqual([200, { 'refledger-position': '7' }]);
    expect(await resultsOf(ndjson)).toEqual([
      { line: 1, status: 200, id: 'pay_2', updated: true },
      {
        line: 2,
        status: 404,
        problem: expect.objectContaining({ request_id: 'request-1' }) as unknown,
      },
      { line: 3, status: 200, id: 'pay_4', updated: true },
      { object: 'end', lines: 3, created: 0, replayed: 0, updated: 2, failed: 1, position: '9' },
    ]);
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([
    ['per account', ['a', 'a'], 'a', 'too_many_imports'],
    ['in total', ['a', 'a', 'b'], 'c', 'unavailable'],
  ])(
    'runs only so many %s at a time, until their results are read',
    async (_, before, next, code) => {
      const imports = setUp();
      const bodies = before.map(() => bodyOf('2\n'));
      const running = await Promise.all(
        bodies.map(({ body }, n) => start(imports, body, evenNumbers, before[n])),
      );
      const again = () => start(imports, bodyOf().body, evenNumbers, next);
      await expect(again()).rejects.toMatchObject({ code });
      expect(await inFlight()).toBe(before.length);
      bodies.forEach(({ end }) => end());
      for (let n = 0; n < 20; n++) await yieldToEventLoop();
      await expect(again()).rejects.toMatchObject({ code });
      for (const { ndjson } of running)
        await resultsOf(ndjson as AsyncIterable<Buffer> | undefined);
      while ((await inFlight()) !== 0) await yieldToEventLoop();
      const last = bodyOf();
      last.end();
      const { ndjson } = await start(imports, last.body, evenNumbers, next);
      expect(await resultsOf(ndjson)).toHaveLength(1);
      while ((await inFlight()) !== 0) await yieldToEventLoop();
    },
  );

  it('runs the lines of one record one after another, and those of others meanwhile', async () => {
    const running = new Set<string>();
    const seen: string[] = [];
    const kind: ImportKind<number> = {
      read: (json) => Number(json),
      recordOf: (value) => `record ${value % 3}`,
      run: async (value) => {
        const record = `record ${value % 3}`;
        expect(running.has(record)).toBe(false);
        running.add(record);
        for (let n = 0; n < 10; n++) await yieldToEventLoop();
        seen.push(`${running.size > 1 ? 'beside others' : 'alone'}`);
        running.delete(record);
        return { id: String(value), how: 'replayed', position: undefined };
      },
    };
    const { body, end } = bodyOf(Array.from({ length: 30 }, (_, n) => `${n}\n`).join(''));
    end();
    const results = await resultsOf((await start(setUp(), body, kind)).ndjson);
    expect(results.at(-1)).toMatchObject({ lines: 30, replayed: 30 });
    expect(seen).toContain('beside others');
  });

  it('reveals only that an internal error occurred, and logs the first', async () => {
    const failing = { ...evenNumbers, run: () => Promise.reject(new Error('secret')) };
    const { body, end } = bodyOf('2\n4\n');
    end();
    const results = await resultsOf((await start(setUp(), body, failing)).ndjson);
    expect(results.map(({ status }) => status)).toEqual([500, 500, undefined]);
    expect(JSON.stringify(results)).not.toContain('secret');
    expect(logged).toHaveBeenCalledTimes(1);
  });

  it('breaks off without an end when results cannot be kept', async () => {
    const { body, end } = bodyOf(`${'3\n'.repeat(40_000)}`);
    end();
    const { ndjson } = await start(setUp({}, join(directory, 'missing')), body);
    for (let n = 0; n < 100; n++) await yieldToEventLoop();
    while (logged.mock.calls.length === 0) await yieldToEventLoop();
    await expect(resultsOf(ndjson)).rejects.toThrow('ENOENT');
    while ((await inFlight()) !== 0) await yieldToEventLoop();
  });

  it('starts processing no further line once the client is gone', async () => {
    const begun: number[] = [];
    const kind: ImportKind<number> = {
      ...evenNumbers,
      run: (value) => evenNumbers.run(begun.push(value) && value),
    };
    const { body, end } = bodyOf('2\n'.repeat(1_000));
    const { ndjson } = await start(setUp(), body, kind);
    while (begun.length < 10) await yieldToEventLoop();
    ndjson?.destroy();
    const count = begun.length;
    end(new Error('aborted'));
    while ((await inFlight()) !== 0) await yieldToEventLoop();
    expect(begun).toHaveLength(count);
  });
});
