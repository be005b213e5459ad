import type { LogId, Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { accountsProjection } from '@refledger/projections';
import type { Build, ReadStore } from '@refledger/read-store';
import { awaitLive } from './await-live.js';

const logId = 'log' as LogId;
const build = (id: string, state: Build['state'], position: number): Build => ({
  id,
  projection: accountsProjection.name,
  version: accountsProjection.version,
  logId,
  state,
  checkpoint: { logId, position: `${position}` as Position, eventId: 'event' },
});
const before = build('before', 'live', 9);
const request = 14;

/** Waits while the builds are these, one after another, and returns how many times it looked. */
const looksUntilLive = async (...seen: readonly (readonly Build[])[]): Promise<number> => {
  let looks = 0;
  const store = { builds: () => Promise.resolve(seen[looks++] ?? []) };
  await awaitLive({
    store: store as unknown as ReadStore,
    log: { id: logId, head: () => Promise.resolve(`${request}`) } as unknown as EventLog,
    projection: accountsProjection,
    before,
    console: { terminal: undefined, report: () => undefined, signal: new AbortController().signal },
    watch: () => {
      if (looks === seen.length) throw new Error('still waiting');
    },
  });
  return looks;
};

it('waits until a new build is readable', async () => {
  expect(
    await looksUntilLive(
      [before],
      [before, build('new', 'building', 4)],
      [build('new', 'live', request)],
    ),
  ).toBe(3);
});

it('accepts a build that had started before the request, and passed it in time', async () => {
  expect(
    await looksUntilLive(
      [before, build('begun', 'building', 4)],
      [build('begun', 'live', request)],
    ),
  ).toBe(2);
});

it('waits for the next build if that one did not pass it in time', async () => {
  expect(
    await looksUntilLive(
      [build('begun', 'live', request - 1)],
      [build('begun', 'live', request), build('new', 'building', 1)],
      [build('new', 'live', request)],
    ),
  ).toBe(3);
});

it('does not take the build that served reads before for a new one', async () => {
  await expect(
    looksUntilLive([{ ...before, checkpoint: build('', 'live', request).checkpoint }]),
  ).rejects.toThrow('still waiting');
});
