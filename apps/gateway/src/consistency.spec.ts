import type { AccountId, KeyId, Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { newMetrics } from '@refledger/platform';
import type { ReadStore, ProjectionSpec } from '@refledger/read-store';
import { Consistency } from './consistency.js';
import { ConcurrencyLimit } from './http/concurrency-limit.js';
import { PositionWaits } from './position-waits.js';

const at = (position: number): Position => String(position) as Position;
const caller = {
  accountId: 'acct_a' as AccountId,
  keyId: 'key_a' as KeyId,
  scope: 'read',
} as const;
const projection: ProjectionSpec = { name: 'sales', version: 1, collections: [] };

describe('what a read waits for', () => {
  let asked: Position[];
  /** A log whose head is 10, and a read model that has reached 8. */
  const consistency = ({ isHeadLatest = true, ofKey = 1 } = {}): Consistency => {
    const metrics = newMetrics();
    const log = {
      id: 'log-1',
      isHeadLatest,
      head: () => Promise.resolve(at(10)),
    } as Partial<EventLog> as EventLog;
    const reached: ReadStore['reached'] = (_projection, _log, position) => {
      asked.push(position);
      return Promise.resolve(Number(position) <= 8);
    };
    const waits = new PositionWaits({
      work: new ConcurrencyLimit(metrics),
      metrics,
      limits: { inAll: 9, ofAccount: 9, ofKey },
    });
    return new Consistency({
      log,
      store: { reached } as Partial<ReadStore> as ReadStore,
      startedAt: undefined,
      waits,
      timeoutMs: 1,
    });
  };
  beforeEach(() => void (asked = []));

  it('is not a position beyond a log that can tell: that is refused at once', async () => {
    await expect(consistency().settle(projection, caller, at(11))).rejects.toMatchObject({
      code: 'read_model_behind',
    });
    await expect(consistency({ ofKey: 0 }).settleLog(caller, at(11))).rejects.toThrow(
      'beyond the end of the event log',
    );
    expect(asked).toEqual([]);
  });

  it('is a position beyond a log that can not tell, for a while', async () => {
    await expect(
      consistency({ isHeadLatest: false }).settle(projection, caller, at(11)),
    ).rejects.toThrow('within 1 ms');
    await expect(consistency({ isHeadLatest: false }).settleLog(caller, at(11))).rejects.toThrow(
      'within 1 ms',
    );
    expect(asked).toEqual([at(11)]);
  });

  it('is what it asks for, which must come, and what its account wrote, which need not', async () => {
    const both = consistency();
    both.wrote(caller.accountId, at(9));
    await both.settle(projection, caller, at(8));
    expect(asked).toEqual([at(8), at(9)]);
    await expect(both.settle(projection, caller, at(9))).rejects.toMatchObject({
      code: 'read_model_behind',
    });
  });

  it('has a bound, also for what its account wrote', async () => {
    const full = consistency({ ofKey: 0 });
    full.wrote(caller.accountId, at(8));
    await expect(full.settle(projection, caller, undefined)).rejects.toMatchObject({
      code: 'read_model_behind',
    });
  });

  it('is nothing where a single record is read and the log has come so far', async () => {
    const full = consistency({ ofKey: 0 });
    await full.settleLog(caller, at(10));
    await full.settleLog(caller, at(9));
  });
});
