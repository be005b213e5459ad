import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Spool } from './spool.js';

const block = 64 * 1024;

describe('Spool', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-spool-'));
  const spools: Spool[] = [];
  const spool = (inMemory = 2, inFile = Infinity): Spool => {
    const made = new Spool(directory, { inMemory, inFile });
    spools.push(made);
    return made;
  };
  afterEach(() => Promise.all(spools.splice(0).map((each) => each.close())));
  afterAll(() => rm(directory, { recursive: true }));

  const rest = async (from: Spool): Promise<string> => {
    const read: Buffer[] = [];
    for await (const bytes of from) read.push(bytes);
    return Buffer.concat(read).toString('latin1');
  };
  const bytesOf = (length: number, seed = 0): Buffer =>
    Buffer.from(Array.from({ length }, (_, n) => (n * 31 + seed * 7 + (n >> 8)) % 256));

  it('returns what was written, in order, however much is waiting', async () => {
    const written = [3, block, 10 * block + 5, 0, 2].map((length, n) => bytesOf(length, n));
    const queue = spool();
    for (const bytes of written) await queue.write(bytes);
    queue.end();
    expect(await rest(queue)).toBe(Buffer.concat(written).toString('latin1'));
  });

  it('returns the same bytes however writes and reads take turns', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constant('read' as const), fc.nat({ max: 3 * block }))),
        async (steps) => {
          const queue = spool(1);
          let [written, read] = ['', ''];
          for (const [n, step] of steps.entries()) {
            if (step === 'read') {
              if (read.length < written.length) read += (await queue.read())?.toString('latin1');
            } else {
              const bytes = bytesOf(step, n);
              written += bytes.toString('latin1');
              await queue.write(bytes);
            }
          }
          queue.end();
          expect(read + (await rest(queue)) === written).toBe(true);
        },
      ),
      { numRuns: 40 },
    ));

  it.each([
    ['without a limit', Infinity],
    ['that is overwritten from its start', 2],
  ])(
    'returns the same bytes when they are read while they are written, with a file %s',
    async (_, inFile) => {
      const written = Array.from({ length: 60 }, (_, n) => bytesOf((n * 7919) % (2 * block), n));
      const queue = spool(1, inFile);
      const reading = rest(queue);
      for (const bytes of written) await queue.write(bytes);
      queue.end();
      expect((await reading) === Buffer.concat(written).toString('latin1')).toBe(true);
    },
  );

  it('makes its writer wait while the file is full', async () => {
    const queue = spool(1, 2);
    await queue.write(bytesOf(3 * block));
    let isWritten = false;
    const writing = queue.write(bytesOf(block)).then(() => (isWritten = true));
    await queue.read();
    expect(isWritten).toBe(false);
    await queue.read();
    await writing;
    queue.end();
    expect(await rest(queue)).toHaveLength(2 * block);
  });

  it('wakes a waiting writer when it is closed', async () => {
    const queue = spool(1, 1);
    const writing = queue.write(bytesOf(4 * block));
    await queue.close();
    await writing;
  });

  it('wakes a waiting reader for just a few bytes, and at the end', async () => {
    const queue = spool();
    const first = queue.read();
    await queue.write(Buffer.from('a'));
    expect(String(await first)).toBe('a');
    const last = queue.read();
    queue.end();
    expect(await last).toBeUndefined();
  });

  it('throws the error with which the bytes end, after the last of them', async () => {
    const queue = spool();
    await queue.write(Buffer.from('a'));
    queue.end(new Error('cut'));
    expect(String(await queue.read())).toBe('a');
    await expect(queue.read()).rejects.toThrow('cut');
  });

  it('leaves no file behind, even while it is in use', async () => {
    const queue = spool();
    await queue.write(bytesOf(8 * block));
    expect(readdirSync(directory)).toEqual([]);
  });

  it('drops everything when it is closed', async () => {
    const queue = spool();
    const writing = queue.write(bytesOf(8 * block));
    await queue.close();
    await writing;
    await queue.write(bytesOf(8 * block));
    expect(await queue.read()).toBeUndefined();
  });

  it('ends a read of its file when it is closed', async () => {
    const queue = spool(1);
    await queue.write(bytesOf(8 * block));
    await queue.read();
    const next = queue.read();
    await queue.close();
    expect([await next, await queue.read()]).toEqual([undefined, undefined]);
  });

  it('ends a waiting reader when it is closed', async () => {
    const queue = spool();
    const next = queue.read();
    await queue.close();
    expect(await next).toBeUndefined();
  });

  it('rejects what its directory cannot take', async () => {
    const queue = new Spool(join(directory, 'missing'), { inMemory: 1 });
    await queue.write(bytesOf(block));
    await expect(queue.write(bytesOf(block))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
