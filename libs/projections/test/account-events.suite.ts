import {
  publicEventId,
  type AccountId,
  type LogId,
  type RecordedEvent,
} from '@refledger/contracts';
import { ReadModelUnreadable, type ReadStore } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { AccountEvents, eventsProjection } from '../src/index.js';
import { ProjectionGroup } from '../src/projector/projection-group.js';
import { conversionChanged, conversionCreated } from './builders.js';
import { position, record, type HistoryEvent } from './history.js';

const logId = 'log-1';

/** Tests reading the events of one account, on any read store. */
export function accountEventsSuite(on: {
  open: () => Promise<ReadStore>;
  remove: (store: ReadStore) => Promise<void>;
}): void {
  describe('in a read model', () => {
    let store: ReadStore;
    let events: AccountEvents;
    beforeAll(async () => {
      store = await on.open();
      events = new AccountEvents(store, logId);
    });
    afterAll(() => on.remove(store));
    readsRanges(() => ({ store, events }));
    readsSparseAccounts(() => store);
  });
}

function readsRanges(opened: () => { store: ReadStore; events: AccountEvents }): void {
  const read = (range: Parameters<AccountEvents['read']>[0]) => opened().events.read(range);

  it('rejects while there is no read model', async () => {
    await expect(read({ ...whole, accountId: 'acct_1' })).rejects.toThrow(ReadModelUnreadable);
  });

  describe('of a log in which two accounts take turns', () => {
    const all = takingTurns(12, (n) => (n % 2 === 0 ? 'acct_1' : 'acct_2'));
    beforeAll(() => fill(opened().store, logId, all));

    it('reads the events of one account, in log order', async () => {
      const { events: own, reached } = await read({ ...whole, accountId: 'acct_2' });
      expect(own.map(({ position: at }) => at)).toEqual(['2', '4', '6', '8', '10', '12']);
      expect(own[0]).toEqual({
        eventId: publicEventId(present(all[1]).id),
        type: 'conversion.created',
        objectId: 'conv_2',
        affiliateId: 'aff_1',
        position: '2',
      });
      expect(reached).toBe('12');
    });

    it('starts after one position and ends with another', async () => {
      const range = { accountId: 'acct_2' as const, after: position(4), through: position(8) };
      const found = await read({ ...range, limit: 1_000 });
      expect(found.events.map(({ position: at }) => at)).toEqual(['6', '8']);
      expect(found.reached).toBe('12');
    });

    it('reads on after the last event of a part', async () => {
      const first = await read({ ...whole, accountId: 'acct_1', limit: 2 });
      expect(first.events.map(({ position: at }) => at)).toEqual(['1', '3']);
      const range = { ...whole, accountId: 'acct_1' as const, after: position(3), limit: 2 };
      const next = await read(range);
      expect(next.events.map(({ position: at }) => at)).toEqual(['5', '7']);
    });

    it('reads nothing beyond the position that the read model has reached', async () => {
      const reached = { find: opened().store.find.bind(opened().store) };
      const find: ReadStore['find'] = async (...query) => ({
        ...(await reached.find(...query)),
        position: position(7),
      });
      const lagging = new AccountEvents({ find }, logId);
      const found = await lagging.read({ ...whole, accountId: 'acct_1' });
      expect(found.events.map(({ position: at }) => at)).toEqual(['1', '3', '5', '7']);
      expect(found.reached).toBe('7');
    });

    it('finds nothing of an account without events', async () => {
      const found = await read({ ...whole, accountId: 'acct_3' });
      expect(found).toEqual({ events: [], reached: '12' });
    });
  });
}

function readsSparseAccounts(opened: () => ReadStore): void {
  describe('of a log in which an account rarely has an event', () => {
    const otherLog = 'log-2';
    const all = takingTurns(2_500, (n) => (n % 90 === 89 ? 'acct_2' : 'acct_1'));
    beforeAll(() => fill(opened(), otherLog, all));

    it.each([
      [0, 2_500, 1_000],
      [0, 2_500, 12],
      [90, 2_500, 15],
      [63, 64, 1_000],
      [64, 128, 1_000],
      [1_000, 2_070, 1_000],
      [2_430, 2_500, 1],
    ])('reads the events after %i up to %i, at most %i', async (after, through, limit) => {
      for (const accountId of ['acct_1', 'acct_2'] as const) {
        const range = { accountId, after: position(after), through: position(through), limit };
        const found = await new AccountEvents(opened(), otherLog).read(range);
        const expected = all
          .filter(({ metadata }) => metadata.account_id === accountId)
          .map(({ position: at }) => Number(at))
          .filter((at) => at > after && at <= through)
          .slice(0, limit);
        expect(found.events.map(({ position: at }) => Number(at))).toEqual(expected);
        expect(found.reached).toBe('2500');
      }
    });

    it('reads no more blocks than a page may need, and never thousands of events at once', async () => {
      const limits: number[] = [];
      const find: ReadStore['find'] = (...query) => {
        limits.push(query[3].limit);
        return opened().find(...query);
      };
      const events = new AccountEvents({ find }, otherLog);
      const range = { after: position(0), through: position(2_500), limit: 20 };
      await events.read({ ...range, accountId: 'acct_1' });
      expect(limits.splice(0)).toEqual([2]);
      await events.read({ ...range, accountId: 'acct_2' });
      expect(limits.splice(0)).toEqual([2, 4, 8, 16]);
      await events.read({ ...range, accountId: 'acct_2', limit: 1_000 });
      expect(limits).toEqual([17, 34]);
    });

    it('leaves out what was added after it had begun', async () => {
      let queries = 0;
      const find: ReadStore['find'] = async (...query) => {
        const result = await opened().find(...query);
        return { ...result, position: position(queries++ === 0 ? 1_500 : 2_500) };
      };
      const range = { ...whole, through: position(2_500), accountId: 'acct_2' as const };
      const found = await new AccountEvents({ find }, otherLog).read(range);
      expect(queries).toBeGreaterThan(1);
      expect(found.events.at(-1)?.position).toBe('1440');
      expect(found.reached).toBe('1500');
    });
  });
}

const fill = async (
  store: ReadStore,
  ofLog: LogId,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const build = await store.createBuild(eventsProjection, ofLog, 'test');
  const group = new ProjectionGroup([{ projection: eventsProjection, build }], store, ofLog);
  await group.apply({ events, through: position(events.length) }, new Set());
  await store.goLive(build);
};

const whole = { after: position(0), through: position(12), limit: 1_000 };

/** Events of two conversions in turns, each of the account that `accountOf` says. */
function takingTurns(
  length: number,
  accountOf: (n: number) => AccountId,
): readonly RecordedEvent[] {
  const happened = (n: number): HistoryEvent => {
    const id = `conv_${1 + (n % 2)}` as const;
    const approved = { status: 'approved' } as const;
    return {
      stream: `refledger.conversion-${id}`,
      event:
        n < 2
          ? conversionCreated({}, id)
          : conversionChanged('conversion.approved', {}, approved, { id }),
    };
  };
  return record(Array.from({ length }, (_, n) => happened(n))).map((event, n) => ({
    ...event,
    metadata: { ...event.metadata, account_id: accountOf(n) },
  }));
}
