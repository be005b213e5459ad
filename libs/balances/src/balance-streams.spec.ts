import { derivedId } from '@refledger/contracts';
import { eventSchemaVersion } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { chapterStream, currentChapter } from './balance-streams.js';

const balance = derivedId('balance', 'ada');

/** Test double: a log with this many full chapters of a balance, which counts reads. */
const logWith = (full: number) => {
  const read: (readonly [string, number, number])[] = [];
  const streams = new Set(
    Array.from({ length: full }, (_, chapter) => chapterStream(balance, chapter)),
  );
  const readStream: EventLog['readStream'] = async function* (stream, { from = 0, to = 0 } = {}) {
    read.push([stream, from, to]);
    if (streams.has(stream)) yield [closed(stream, await Promise.resolve(to))];
  };
  return { read, log: { readStream } };
};

const closed = (stream: LoggedEvent['stream'], revision: number): LoggedEvent => ({
  id: 'e',
  type: 'balance.closed',
  data: {},
  stream,
  revision,
  position: '1' as LoggedEvent['position'],
  metadata: {
    account_id: 'acct_1',
    actor: 'ledger',
    request_id: 'r',
    schema: eventSchemaVersion,
    recorded_at: '2026-01-01T00:00:00.000Z',
  },
});

it.each(Array.from({ length: 20 }, (_, chapter) => chapter))(
  'finds chapter %i after as many full ones',
  async (chapter) => {
    expect(await currentChapter(logWith(chapter).log, balance)).toBe(chapter);
  },
);

it('finds the chapter after a million entries with 20 reads of one event each', async () => {
  const { log, read } = logWith(1_003);
  expect(await currentChapter(log, balance)).toBe(1_003);
  expect(read.length).toBeLessThanOrEqual(20);
  expect(new Set(read.map(([, from, to]) => `${from} to ${to}`))).toEqual(new Set(['999 to 999']));
});

it('asks a new balance for one event', async () => {
  const { log, read } = logWith(0);
  await currentChapter(log, balance);
  expect(read).toEqual([[chapterStream(balance, 0), 999, 999]]);
});
