import type { Checkpoint, Position } from '@refledger/contracts';
import type { BuildChanges, ReadStore } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { postingProjection } from '../src/index.js';
import { Embedded, postToHead } from './embedded.js';
import { atNoon, sell } from './sell.js';

/** The store as left by a ledger that is killed before it raises the checkpoint. */
const withoutRaising = (store: ReadStore, checkpoint: Checkpoint): ReadStore =>
  new Proxy(store, {
    get: (target, name: keyof ReadStore) =>
      name === 'save'
        ? (changes: readonly BuildChanges[]) =>
            target.save(changes.map((change) => ({ ...change, checkpoint })))
        : (target[name] as () => unknown).bind(target),
  });

it('raises the checkpoint that a killed ledger saved its progress for, though nothing is left to do', async () => {
  const embedded = new Embedded();
  try {
    const log = await embedded.openLog();
    const store = await embedded.openStore();
    const isReached = (position: Position) =>
      store.waitForPosition(postingProjection, log.id, position, { timeoutMs: 0 });
    const first = await log.eventAt(await sell(log, { amount: 1 }));
    const last = await sell(log, { amount: 2 });
    const checkpoint = {
      logId: log.id,
      position: present(first).position,
      eventId: present(first).id,
    };
    // the second time, past the entries that the first one has posted
    for (const _ of [1, 2])
      await postToHead({ log, store: withoutRaising(store, checkpoint), now: atNoon });
    expect(await isReached(last)).toBe(false);

    await postToHead({ log, store, now: atNoon });
    expect(await isReached(last)).toBe(true);
  } finally {
    await embedded.remove();
  }
});
