import { newId, streams, type ApiKeysEvent, type KeyId } from '@refledger/contracts';
import { apiKeysDecider, programDecider } from '@refledger/domain';
import { present } from '@refledger/testing/present';
import { newContext } from './command-context.js';
import { CommandHandler } from './command-handler.js';
import { loadStream, type EventLog, type ReadStreamOptions } from '@refledger/event-log';
import { newSimulatedLog } from '@refledger/simulation';
import { foldStream, snapshotsFor, type Snapshot } from './snapshots.js';

type State = typeof apiKeysDecider.initial;

const account = newId('account');
const stream = streams.keys(account);
let log: EventLog;
beforeEach(() => (log = newSimulatedLog()));
afterEach(() => log.close());

/** Makes this many keys, and returns the stream's state after the last one. */
const make = async (count: number): Promise<Snapshot<State>> => {
  const handler = new CommandHandler(log);
  const context = newContext({ accountId: account, actor: 'test', requestId: 'r' });
  for (let n = 0; n < count; n++) {
    const key_id: KeyId = newId('key');
    const command = {
      type: 'create',
      by: 'admin',
      recordedAt: '2026-01-01T00:00:00.000Z',
      key_id,
      name: 'k',
      scope: 'admin',
      hash: key_id,
      last4: 'abcd',
    } as const;
    await handler.run({
      stream,
      decider: apiKeysDecider,
      command,
      context: { ...context, commandId: newContext(context).commandId },
    });
  }
  const loaded = await loadStream<State, ApiKeysEvent>(log, apiKeysDecider, stream);
  const event = present(await log.eventAt(present(loaded.position)));
  return {
    ...loaded,
    revision: present(loaded.revision),
    recordedAt: event.metadata.recorded_at,
    lastEventId: event.id,
  };
};

/** Folds the stream from this snapshot, and counts the events that were read for it. */
const folded = async (snapshot: Snapshot<State> | undefined) => {
  let read = 0;
  const counting: EventLog = Object.assign(Object.create(log) as EventLog, {
    readStream: async function* (name: typeof stream, options: ReadStreamOptions) {
      for await (const batch of log.readStream(name, options)) {
        read += batch.length;
        yield batch;
      }
    },
  });
  const loaded = await foldStream<State, ApiKeysEvent>(counting, apiKeysDecider, stream, () =>
    Promise.resolve(snapshot as never),
  );
  return {
    read,
    revision: loaded.revision,
    position: loaded.position,
    live: new Map(loaded.state.live),
  };
};

it('folds later events onto a snapshot, with the same result as the whole stream', async () => {
  const snapshot = await make(30);
  await make(5);
  const { read: all, ...whole } = await folded(undefined);
  const { read, ...from } = await folded(snapshot);
  expect([all, read]).toEqual([35, 6]);
  expect(from).toEqual(whole);
  expect(from.live.size).toBe(35);
});

it('folds from the start if the snapshot is from another stream or ahead of this one', async () => {
  const snapshot = await make(10);
  const { read: _, ...whole } = await folded(undefined);
  for (const wrong of [
    { ...snapshot, lastEventId: newId('key') },
    { ...snapshot, revision: 99 },
  ]) {
    const { read, ...from } = await folded(wrong);
    expect(from).toEqual(whole);
    expect(read).toBeGreaterThanOrEqual(10);
  }
});

it('finds snapshots only for the decider that made them', async () => {
  const snapshot = await make(1);
  const snapshotOf = snapshotsFor(apiKeysDecider, () => Promise.resolve(snapshot));
  expect(await snapshotOf(apiKeysDecider, stream)).toBe(snapshot);
  expect(await snapshotOf(programDecider, stream)).toBeUndefined();
});
