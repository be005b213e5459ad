import fc from 'fast-check';
import { DomainError, type AccountId, type KeyId } from '@refledger/contracts';
import type { Reader } from '../consistency/consistency.js';
import { ThrottledReads } from './throttled-reads.js';

const readerOf = (account: string): Reader => ({
  accountId: account as AccountId,
  keyId: 'key' as KeyId,
});

describe('reads of many events', () => {
  let now: number;
  let rested: number[];
  /** The account of each batch that was read, in order. */
  let read: string[];
  beforeEach(() => void ([now, rested, read] = [0, [], []]));

  const sleep = (ms: number): Promise<void> => {
    rested.push(ms);
    now += ms;
    return Promise.resolve();
  };
  const paced = (waits = { run: <T>(_reader: Reader, wait: () => Promise<T>) => wait() }) =>
    new ThrottledReads(waits, { now: () => now, sleep });
  /** Batches that take `ms` each. */
  async function* batchesOf(account: string, count: number, ms = 5): AsyncGenerator<number> {
    for (let n = 0; n < count; n++) {
      now += ms;
      read.push(account);
      yield await Promise.resolve(n);
    }
  }
  const readAll = (reads: ThrottledReads, account: string, count: number): Promise<number[]> =>
    reads.run(readerOf(account), async () => {
      const got = [];
      for await (const n of reads.batches(batchesOf(account, count))) got.push(n);
      return got;
    });

  it('read every batch once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(9), { maxLength: 9 }), async (counts) => {
        const reads = paced();
        const got = await Promise.all(counts.map((count, n) => readAll(reads, `${n % 3}`, count)));
        expect(got).toEqual(counts.map((count) => Array.from({ length: count }, (_, n) => n)));
      }),
    );
  });

  it('take a quarter of the time, after their first batch', async () => {
    await readAll(paced(), 'a', 4);
    expect(rested).toEqual([15, 15, 15]);
  });

  it('do not rest after a time in which nothing was read', async () => {
    const reads = paced();
    await readAll(reads, 'a', 2);
    now += 100;
    rested = [];
    await readAll(reads, 'a', 2);
    expect(rested).toEqual([15]);
  });

  it('run one after another for one account', async () => {
    const reads = paced();
    const names = ['first', 'second', 'third'];
    await Promise.all(
      names.map((name) =>
        reads.run(readerOf('a'), async () => {
          for await (const _ of reads.batches(batchesOf(name, 3))) continue;
        }),
      ),
    );
    expect(read).toEqual(names.flatMap((name) => [name, name, name]));
  });

  it('of another account take turns with those of one that asks for hundreds', async () => {
    const reads = paced();
    const attack = Promise.all(Array.from({ length: 300 }, () => readAll(reads, 'attacker', 50)));
    await readAll(reads, 'other', 10);
    const [before] = [read.filter((account) => account === 'attacker').length];
    expect(before).toBeLessThanOrEqual(12);
    await attack;
    expect(read).toHaveLength(300 * 50 + 10);
  });

  it('end their source when they are abandoned or when it fails', async () => {
    let ended = 0;
    const source = async function* (fails: boolean): AsyncGenerator<number> {
      try {
        yield await Promise.resolve(1);
        if (fails) throw new Error('away');
        yield 2;
      } finally {
        ended++;
      }
    };
    const reads = paced();
    for await (const _ of reads.batches(source(false))) break;
    const failing = async (): Promise<void> => {
      for await (const _ of reads.batches(source(true))) continue;
    };
    await expect(failing()).rejects.toThrow('away');
    expect(ended).toBe(2);
    expect(await readAll(reads, 'a', 3)).toEqual([0, 1, 2]);
  });

  it('are rejected if too many are waiting', async () => {
    const full = { run: () => Promise.reject(new DomainError('read_model_behind', 'too many')) };
    await expect(readAll(paced(full), 'a', 1)).rejects.toThrow('too many');
    expect(read).toEqual([]);
  });
});
