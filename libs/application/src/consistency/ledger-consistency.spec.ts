import { DomainError, type AccountId, type KeyId, type Position } from '@refledger/contracts';
import { ReadModelUnreadable, type ProjectionSpec, type ReadStore } from '@refledger/read-store';
import type { EventLog } from '@refledger/event-log';
import { Consistency, type ReadWaits } from './consistency.js';
import { LedgerConsistency, type PostedThrough } from './ledger-consistency.js';

const positionOf = (position: number): Position => String(position) as Position;
const reader = { accountId: 'acct_a' as AccountId, keyId: 'key_a' as KeyId } as const;
const posting: ProjectionSpec = { name: 'posting', version: 1, collections: [] };
const balances: ProjectionSpec = { name: 'balances', version: 1, collections: [] };
const entries: ProjectionSpec = { name: 'entries', version: 1, collections: [] };

describe('a read of money', () => {
  /** How far each projection has got, and what it reaches while someone waits for it. */
  let reached: Record<string, number>;
  let reaches: Record<string, number>;
  let posted: number | undefined;
  let waited: string[];
  let waits: number;
  let mayWait: boolean;
  let failure: Error | undefined;
  beforeEach(() => {
    reached = { posting: 8, balances: 9, entries: 9 };
    reaches = {};
    posted = 9;
    waited = [];
    waits = 0;
    mayWait = true;
    failure = undefined;
  });

  const readWaits: ReadWaits = {
    run: (_reader, wait) => {
      waits++;
      return mayWait ? wait() : Promise.reject(new DomainError('read_model_behind', 'too many'));
    },
  };
  const waitForPosition: ReadStore['waitForPosition'] = ({ name }, _log, position, options) => {
    if (failure !== undefined) return Promise.reject(failure);
    if (options.timeoutMs > 0) {
      waited.push(`${name} ${position}`);
      reached[name] = Math.max(reached[name] ?? 0, reaches[name] ?? 0);
    }
    return Promise.resolve(Number(position) <= (reached[name] ?? 0));
  };
  const postedThrough = (): Promise<PostedThrough> =>
    posted === undefined
      ? Promise.reject(new ReadModelUnreadable('posting', undefined))
      : Promise.resolve({
          position: positionOf(reached['posting'] ?? 0),
          postedPosition: positionOf(posted),
          logTime: '2026-01-31T09:30:00.000Z',
          decidedRevision: -1,
        });

  const setUp = (lastWrite: number): LedgerConsistency => {
    const log = {
      id: 'log-1',
      isHeadLatest: true,
      head: () => Promise.resolve(positionOf(20)),
    } as Partial<EventLog> as EventLog;
    const store = { waitForPosition } as Partial<ReadStore> as ReadStore;
    const parts = { log, store, startedAt: undefined, waits: readWaits, timeoutMs: 60_000 };
    const consistency = new Consistency(parts);
    consistency.wrote(reader.accountId, positionOf(lastWrite));
    return new LedgerConsistency({
      ...parts,
      consistency,
      posting: { projection: posting, postedThrough },
    });
  };

  it('does not wait if everything is there', async () => {
    expect(await setUp(8).settle([balances, entries], reader, positionOf(7))).toBe(positionOf(8));
    expect([waits, waited]).toEqual([0, []]);
  });

  it('waits for posting, then for the read models to show what it posted', async () => {
    reaches = { posting: 12, balances: 15, entries: 15 };
    const settling = setUp(10).settle([balances, entries], reader, positionOf(12));
    posted = 15;
    expect(await settling).toBe(positionOf(12));
    expect(waited).toEqual(['posting 12', 'balances 15', 'entries 15']);
  });

  it('waits for the read models even if posting has caught up', async () => {
    posted = 11;
    reaches = { balances: 11 };
    await setUp(8).settle([balances], reader, undefined);
    expect(waited).toEqual(['posting 8', 'balances 11']);
  });

  it('needs no read model to read the log itself', async () => {
    posted = 19;
    await setUp(8).settle([], reader, undefined);
    expect(waited).toEqual([]);
  });

  it.each([
    ['posting does not get there', 9, {}, 'The ledger did not reach position 9 within'],
    ['a read model does not', 8, { posting: 8 }, 'The read model did not reach position 10 within'],
  ])('is refused if %s, even without a position', async (_, lastWrite, then, message) => {
    posted = 10;
    reaches = then;
    await expect(setUp(lastWrite).settle([balances], reader, undefined)).rejects.toMatchObject({
      code: 'ledger_behind',
      message: expect.stringContaining(message) as string,
    });
  });

  it('is refused if the ledger never ran', async () => {
    posted = undefined;
    reached['posting'] = 0;
    await expect(setUp(1).settle([balances], reader, undefined)).rejects.toMatchObject({
      code: 'ledger_behind',
    });
  });

  it('is refused if too many are waiting, or beyond the end of the log', async () => {
    mayWait = false;
    const full = setUp(9);
    await expect(full.settle([balances], reader, undefined)).rejects.toMatchObject({
      code: 'ledger_behind',
      message: 'too many',
    });
    await expect(full.settle([balances], reader, positionOf(21))).rejects.toMatchObject({
      code: 'ledger_behind',
      message: expect.stringContaining('beyond the end') as string,
    });
  });

  it('passes other errors on', async () => {
    failure = new Error('away');
    await expect(setUp(8).settle([balances], reader, undefined)).rejects.toBe(failure);
  });

  it('as of a past position waits for the read model alone', async () => {
    reached['posting'] = 0;
    reaches = { balances: 10 };
    await setUp(20).settleAt(balances, reader, positionOf(10));
    expect(waited).toEqual(['balances 10']);
    await expect(setUp(20).settleAt(balances, reader, positionOf(11))).rejects.toMatchObject({
      code: 'ledger_behind',
    });
  });
});
