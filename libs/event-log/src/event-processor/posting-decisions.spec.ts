import { streams, toPosition, type Position, type StreamName } from '@refledger/contracts';
import { postingName } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '../event-log.js';
import { isDecidedSince, readPostingDecisions, listPostingDecisions } from './posting-decisions.js';

const positionOf = (position: number): Position =>
  toPosition(String(position)) ?? ('0' as Position);
const wrong = '2026-03-01T10:00:00.000Z';
const right = '2026-01-31T10:00:00.000Z';

const logged = (
  stream: StreamName,
  revision: number,
  more: Pick<LoggedEvent, 'id' | 'type' | 'data' | 'position'> & { readonly recorded_at: string },
): LoggedEvent => {
  const { recorded_at, ...event } = more;
  const metadata = { account_id: null, actor: 'a', request_id: 'r', schema: 1, recorded_at };
  return { ...event, stream, revision, metadata };
};

const sale = 'refledger.conversion-1';
/** An event whose clock was ahead, between two others of its stream. */
const sales = ['e0', 'e1', 'e2'].map((id, revision) =>
  logged(sale, revision, {
    id,
    type: 't',
    data: {},
    position: positionOf(70 + revision),
    recorded_at: wrong,
  }),
);
const decisions = streams.processor(postingName);
const about = { processor: postingName };
const decided = [
  logged(decisions, 0, {
    id: 'd0',
    type: 'processor.resumed',
    data: { ...about, from: 'head' },
    position: positionOf(80),
    recorded_at: right,
  }),
  logged(decisions, 1, {
    id: 'd1',
    type: 'log_time.ignored',
    // as in the log that this one was copied from
    data: {
      ...about,
      event_id: 'e1',
      position: '7',
      stream: sale,
      revision: 1,
      recorded_at: wrong,
    },
    position: positionOf(90),
    recorded_at: right,
  }),
];

const logOf = (events: readonly LoggedEvent[]): Pick<EventLog, 'readStream'> => ({
  async *readStream(stream, { from = 0, to = Infinity } = {}) {
    yield await Promise.resolve(
      events.filter(
        (event) => event.stream === stream && event.revision >= from && event.revision <= to,
      ),
    );
  },
});

it('finds events whose time is ignored by stream and revision, so it also works in a copied log', async () => {
  expect(await readPostingDecisions(logOf([...sales, ...decided]))).toMatchObject({
    revision: 1,
    ignoredTimes: [{ from: '71', through: '90', recordedAt: wrong, decidedAt: right }],
  });
});

it('is empty before the first decision', async () => {
  expect(await readPostingDecisions(logOf(sales))).toEqual({
    revision: -1,
    skipped: new Set(),
    lifted: new Map(),
    ignoredTimes: [],
  });
});

it('knows what is skipped, and whose skip was lifted last', async () => {
  const skip = (revision: number, event_id: string) =>
    logged(decisions, revision, {
      id: `d${revision}`,
      type: 'processor.skipped',
      data: { ...about, event_id, position: '7' },
      position: positionOf(100 + revision),
      recorded_at: right,
    });
  const lift = (revision: number, event_id: string) =>
    logged(decisions, revision, {
      id: `d${revision}`,
      type: 'processor.resumed',
      data: { ...about, from: '7', lifts: { event_id, stream: sale, revision: 1 } },
      position: positionOf(100 + revision),
      recorded_at: right,
    });
  const events = [skip(0, 'e0'), skip(1, 'e1'), lift(2, 'e0'), lift(3, 'e1'), skip(4, 'e1')];
  const read = await readPostingDecisions(logOf(events));
  expect(read.skipped).toEqual(new Set(['e1']));
  expect(read.lifted).toEqual(new Map([['e0', '102']]));
  expect((await listPostingDecisions(logOf(events))).map(({ type }) => type)).toEqual([
    'skip',
    'skip',
    'lift',
    'lift',
    'skip',
  ]);
});

it('says whether there is a decision after a revision', async () => {
  const log = logOf(decided);
  expect(await Promise.all([-1, 0, 1].map((known) => isDecidedSince(log, known)))).toEqual([
    true,
    true,
    false,
  ]);
});

it.each([
  ['missing', []],
  ['a different one', sales.map((event) => ({ ...event, id: `other-${event.id}` }))],
])('fails if the event is %s', async (_, found) => {
  await expect(readPostingDecisions(logOf([...found, ...decided]))).rejects.toThrow(
    /lost event e1 of refledger.conversion-1/,
  );
});
