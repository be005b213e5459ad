import { DomainError, type AccountId, type KeyId, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore, ProjectionSpec } from '@refledger/read-store';
import { Consistency, type ReadWaits } from './consistency.js';

const positionOf = (position: number): Position => String(position) as Position;
const caller = {
  accountId: 'acct_a' as AccountId,
  keyId: 'key_a' as KeyId,
} as const;
const projection: ProjectionSpec = { name: 'sales', version: 1, collections: [] };

describe('a read that waits for a position', () => {
  let asked: Position[];
  /** A log whose head is 10, and a read model that has reached 8. */
  const consistency = ({ isHeadLatest = true, mayWait = true } = {}): Consistency => {
    const log = {
      id: 'log-1',
      isHeadLatest,
      head: () => Promise.resolve(positionOf(10)),
    } as Partial<EventLog> as EventLog;
    const waitForPosition: ReadStore['waitForPosition'] = (_projection, _log, position) => {
      asked.push(position);
      return Promise.resolve(Number(position) <= 8);
    };
    const waits: ReadWaits = {
      run: (_reader, wait) =>
        mayWait
          ? wait()
          : Promise.reject(new DomainError('read_model_behind', 'too many are waiting')),
    };
    return new Consistency({
      log,
      store: { waitForPosition } as Partial<ReadStore> as ReadStore,
      startedAt: undefined,
      waits,
      timeoutMs: 1,
    });
  };
  beforeEach(() => void (asked = []));

  it('is rejected immediately for a position beyond the end of the log, if the log knows its end', async () => {
    await expect(consistency().settle(projection, caller, positionOf(11))).rejects.toMatchObject({
      code: 'read_model_behind',
    });
    await expect(consistency({ mayWait: false }).settleLog(caller, positionOf(11))).rejects.toThrow(
      'beyond the end of the event log',
    );
    expect(asked).toEqual([]);
  });

  it('is rejected with the error that its caller chooses, for a position beyond the end of the log', async () => {
    const refused = new DomainError('validation_failed', 'refused');
    await expect(consistency().settleLog(caller, positionOf(11), () => refused)).rejects.toBe(
      refused,
    );
    await expect(
      consistency({ isHeadLatest: false }).settleLog(caller, positionOf(11), () => refused),
    ).rejects.toMatchObject({ code: 'read_model_behind' });
    await consistency().settleLog(caller, positionOf(10), () => refused);
  });

  it('waits a limited time for a position beyond the end, if the log does not know its end', async () => {
    await expect(
      consistency({ isHeadLatest: false }).settle(projection, caller, positionOf(11)),
    ).rejects.toThrow('within 1 ms');
    // a node that is behind looks just like this, so no client is told that the position is wrong
    await expect(
      consistency({ isHeadLatest: false }).settleLog(caller, positionOf(11)),
    ).rejects.toMatchObject({
      code: 'read_model_behind',
      message:
        'The event log did not reach position 11 within 1 ms: its node is behind, or the position is beyond the end of the log. Retry later with the position of a response, a webhook or a change.',
    });
    expect(asked).toEqual([positionOf(11)]);
  });

  it('must reach the position it asks for, and need not reach its account’s last write', async () => {
    const both = consistency();
    both.wrote(caller.accountId, positionOf(9));
    await both.settle(projection, caller, positionOf(8));
    expect(asked).toEqual([positionOf(8), positionOf(9)]);
    await expect(both.settle(projection, caller, positionOf(9))).rejects.toMatchObject({
      code: 'read_model_behind',
    });
  });

  it('is rejected if too many are waiting, even when it waits only for its account’s last write', async () => {
    const full = consistency({ mayWait: false });
    full.wrote(caller.accountId, positionOf(8));
    await expect(full.settle(projection, caller, undefined)).rejects.toMatchObject({
      code: 'read_model_behind',
    });
  });

  it('does not wait for a single record when the log has reached the position', async () => {
    const full = consistency({ mayWait: false });
    await full.settleLog(caller, positionOf(10));
    await full.settleLog(caller, positionOf(9));
  });
});
