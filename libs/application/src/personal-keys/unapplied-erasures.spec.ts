import { newId, streams, type AffiliateId, type Checkpoint } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { eventsOf } from '@refledger/event-log/conformance';
import { newSimulatedLog } from '@refledger/simulation';
import { present } from '@refledger/testing/present';
import { Affiliates } from '../../test/affiliates.js';
import { CommandHandler } from '../command-handler.js';
import { restoreErasures } from './restore-erasures.js';
import { appliedUpTo, withErasures } from './unapplied-erasures.js';

let log: EventLog;
let affiliates: Affiliates;
beforeEach(async () => {
  log = newSimulatedLog();
  affiliates = new Affiliates(log);
  await affiliates.createAccount();
});
afterEach(() => log.close());

const created = async (): Promise<AffiliateId> => {
  const id = newId('affiliate');
  await affiliates.create(id, `${id}@example.com`);
  return id;
};
const eventsIn = (id: AffiliateId) => eventsOf(log.readStream(streams.affiliate(id)));
/** Erases an affiliate, but crashes before its key is destroyed. */
const crashInErasing = async (id: AffiliateId): Promise<void> => {
  const keys = {
    getMany: affiliates.keys.getMany.bind(affiliates.keys),
    destroy: () => Promise.resolve(),
  };
  await affiliates.erase(id, { keys });
};
const checkpointAtHead = async (): Promise<Checkpoint> => {
  const position = present(await log.head());
  return { logId: log.id, position, eventId: present(await log.eventAt(position)).id };
};

describe('a key store that is opened', () => {
  it('shows as erased whom the log erased, although the key was left', async () => {
    const [ada, bob] = [await created(), await created()];
    await crashInErasing(ada);
    const opened = await withErasures(log, affiliates.keys);
    const stored = await opened.getMany([ada, bob, firstAccountId]);
    expect([ada, bob, firstAccountId].map((id) => stored.get(id)?.kind)).toEqual([
      'erased',
      'key',
      'key',
    ]);
    expect(opened.id).toBe(affiliates.keys.id);
    // everything else is the store itself
    await opened.destroy(bob, {
      accountId: firstAccountId,
      eventId: 'e',
      position: present(await log.head()),
      erasedAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await affiliates.keys.getMany([bob])).get(bob)).toMatchObject({ kind: 'erased' });
  });

  it('reads only what the log recorded since its checkpoint', async () => {
    await crashInErasing(await created());
    await affiliates.keys.saveCheckpoint(await checkpointAtHead());
    expect(await withErasures(log, affiliates.keys)).toBe(affiliates.keys);
  });

  it('reads the log from the start if its checkpoint is of another log, or of a lost part', async () => {
    const id = await created();
    await crashInErasing(id);
    const at = await checkpointAtHead();
    for (const lost of [
      { ...at, logId: 'another' },
      { ...at, eventId: 'lost' },
    ] as Checkpoint[]) {
      await affiliates.keys.saveCheckpoint(lost);
      expect(await appliedUpTo(log, affiliates.keys)).toBeUndefined();
      const opened = await withErasures(log, affiliates.keys);
      expect((await opened.getMany([id])).get(id)).toMatchObject({ kind: 'erased' });
    }
  });
});

describe('erasures that a restored log has lost', () => {
  /** The key store of an affiliate whose erasure is not in this log. */
  const erasedElsewhere = (id: AffiliateId, eventId: string) =>
    affiliates.keys.destroy(id, {
      accountId: firstAccountId,
      eventId,
      position: '9999' as Checkpoint['position'],
      erasedAt: '2026-01-01T00:00:00.000Z',
    });
  const restore = async () =>
    restoreErasures(
      new CommandHandler(log),
      affiliates.keys,
      await appliedUpTo(log, affiliates.keys),
    );
  const eventId = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

  it('are recorded again, with the id that the event had', async () => {
    const [lost, other] = [await created(), await created()];
    await erasedElsewhere(lost, eventId);
    expect(await restore()).toBe(1);
    expect(await eventsIn(lost)).toMatchObject([
      { type: 'affiliate.created' },
      { type: 'affiliate.deleted', metadata: { append_continues: true } },
      { type: 'affiliate.erased', id: eventId, metadata: { actor: 'ledger' } },
    ]);
    expect(await eventsIn(other)).toHaveLength(1);
    expect(await restore()).toBe(0);
  });

  it('need no second deletion, and none if the affiliate is not in the log either', async () => {
    const lost = await created();
    await affiliates.remove(lost);
    await erasedElsewhere(lost, eventId);
    await erasedElsewhere(newId('affiliate'), eventId);
    expect(await restore()).toBe(1);
    expect((await eventsIn(lost)).map(({ type }) => type)).toEqual([
      'affiliate.created',
      'affiliate.deleted',
      'affiliate.erased',
    ]);
  });

  it('are looked for only after the position up to which the log has them all', async () => {
    const lost = await created();
    await erasedElsewhere(lost, eventId);
    const all = '10000' as Checkpoint['position'];
    expect(await restoreErasures(new CommandHandler(log), affiliates.keys, all)).toBe(0);
    expect(await eventsIn(lost)).toHaveLength(1);
  });
});
