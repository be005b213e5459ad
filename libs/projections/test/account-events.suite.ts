import { publicEventId, type AccountId, type RecordedEvent } from '@refledger/contracts';
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
  });
}

function readsRanges(opened: () => { store: ReadStore; events: AccountEvents }): void {
  const read = (range: Parameters<AccountEvents['read']>[0]) => opened().events.read(range);

  it('rejects while there is no read model', async () => {
    await expect(read({ ...whole, accountId: 'acct_1' })).rejects.toThrow(ReadModelUnreadable);
  });

  describe('of a log in which two accounts take turns', () => {
    const all = takingTurns(12);
    beforeAll(async () => {
      const { store } = opened();
      const build = await store.createBuild(eventsProjection, logId, 'test');
      const group = new ProjectionGroup([{ projection: eventsProjection, build }], store, logId);
      await group.apply({ events: all, through: position(12) }, new Set());
      await store.goLive(build);
    });

    it('reads the events of one account, in log order', async () => {
      const { events: own, reached } = await read({ ...whole, accountId: 'acct_2' });
      expect(own.map(({ position: at }) => at)).toEqual(['2', '4', '6', '8', '10', '12']);
      expect(own[0]).toEqual({
        eventId: publicEventId(present(all[1]).id),
        type: 'conversion.created',
        objectId: 'conv_2',
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

    it('finds nothing of an account without events', async () => {
      const found = await read({ ...whole, accountId: 'acct_3' });
      expect(found).toEqual({ events: [], reached: '12' });
    });
  });
}

const whole = { after: position(0), through: position(12), limit: 1_000 };

/** Odd positions have events of `acct_1`, even ones of `acct_2`. */
function takingTurns(length: number): readonly RecordedEvent[] {
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
  const events = record(Array.from({ length }, (_, n) => happened(n)));
  const accounts: readonly AccountId[] = ['acct_1', 'acct_2'];
  return events.map((event, n) => ({
    ...event,
    metadata: { ...event.metadata, account_id: present(accounts[n % 2]) },
  }));
}
