import { streams, toPosition, type Position, type StreamName } from '@refledger/contracts';
import { postingName } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '../event-log.js';
import { readLogTimeDiscounts } from './log-time-discounts.js';

const at = (position: number): Position => toPosition(String(position)) ?? ('0' as Position);
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
    position: at(70 + revision),
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
    position: at(80),
    recorded_at: right,
  }),
  logged(decisions, 1, {
    id: 'd1',
    type: 'log_time.discounted',
    // as in the log that this one was copied from
    data: {
      ...about,
      event_id: 'e1',
      position: '7',
      stream: sale,
      revision: 1,
      recorded_at: wrong,
    },
    position: at(90),
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

it('finds the events by stream and revision, so it also works in a copied log', async () => {
  expect(await readLogTimeDiscounts(logOf([...sales, ...decided]))).toEqual([
    { from: '71', through: '90', recordedAt: wrong, decidedAt: right },
  ]);
});

it('is empty before the first decision', async () => {
  expect(await readLogTimeDiscounts(logOf(sales))).toEqual([]);
});

it.each([
  ['missing', []],
  ['a different one', sales.map((event) => ({ ...event, id: `other-${event.id}` }))],
])('fails if the event is %s', async (_, found) => {
  await expect(readLogTimeDiscounts(logOf([...found, ...decided]))).rejects.toThrow(
    /lost event e1 of refledger.conversion-1/,
  );
});
