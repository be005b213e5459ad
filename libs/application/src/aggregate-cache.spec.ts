import type { Position, StreamName } from '@refledger/contracts';
import type { ConversionEvent } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { AggregateCache } from './aggregate-cache.js';

/** A decider whose state is the revision of the last event. */
const decider: Decider<never, number, ConversionEvent> = {
  initial: -1,
  decide: () => [],
  evolve: (_state, _event, { revision }) => revision,
};

const eventsOf = (stream: StreamName, count: number): LoggedEvent[] =>
  Array.from({ length: count }, (_, revision) => ({
    id: `${stream}-${revision}`,
    type: 'conversion.updated',
    data: {},
    stream,
    revision,
    position: String(revision) as Position,
    metadata: {
      account_id: null,
      actor: 'a',
      request_id: 'r',
      schema: 1,
      recorded_at: '2026-01-31T09:30:00.000Z',
    },
  }));

describe('the streams of an aggregate cache', () => {
  /** Number of events read from streams so far. */
  let read: number;
  let lengths: Record<StreamName, number>;
  const log: Pick<EventLog, 'readStream'> = {
    async *readStream(stream, { from = 0 } = {}) {
      await new Promise((resolve) => setImmediate(resolve));
      const events = eventsOf(stream, lengths[stream] ?? 0).slice(from);
      read += events.length;
      yield events;
    },
  };
  const [long, another, short, further] = [
    'refledger.a',
    'refledger.b',
    'refledger.c',
    'refledger.d',
  ] as const;
  beforeEach(() => {
    read = 0;
    lengths = { [long]: 30, [another]: 20, [short]: 5, [further]: 5 };
  });
  const loaded = (): AggregateCache =>
    new AggregateCache(log as EventLog, { short: 1, long: 1, longFrom: 10 });
  const readBy = async (load: () => Promise<unknown>): Promise<number> => {
    const before = read;
    await load();
    return read - before;
  };

  it('are read once for concurrent callers', async () => {
    const streams = loaded();
    const states = await Promise.all(Array.from({ length: 20 }, () => streams.load(decider, long)));
    expect(states.map(({ state }) => state)).toEqual(states.map(() => 29));
    expect(read).toBe(30 + 19);
  });

  it('are read by each caller if they are missing', async () => {
    const streams = loaded();
    const none = await Promise.all(
      Array.from({ length: 3 }, () => streams.load(decider, 'refledger.none')),
    );
    expect(none.map(({ revision }) => revision)).toEqual([undefined, undefined, undefined]);
  });

  it('are read by the other callers if the first one fails', async () => {
    const streams = loaded();
    const { readStream } = log;
    let calls = 0;
    const failing = new AggregateCache({
      readStream: (...of: Parameters<EventLog['readStream']>) => {
        if (calls++ === 0) throw new Error('away');
        return readStream.apply(log, of);
      },
    } as EventLog);
    const [first, second] = await Promise.allSettled([
      failing.load(decider, long),
      failing.load(decider, long),
    ]);
    expect([first, second]).toMatchObject([
      { status: 'rejected' },
      { status: 'fulfilled', value: { state: 29 } },
    ]);
    expect(await streams.load(decider, long)).toMatchObject({ state: 29 });
  });

  it('evict only streams of their own kind: a long one stays despite many short ones', async () => {
    const streams = loaded();
    for (const stream of [long, short, further]) await streams.load(decider, stream);
    expect(await readBy(() => streams.load(decider, long))).toBe(1);
    expect(await readBy(() => streams.load(decider, short))).toBe(5);
    await streams.load(decider, another);
    expect(await readBy(() => streams.load(decider, long))).toBe(30);
  });

  it('are treated as long once later events make them long', async () => {
    const streams = loaded();
    await streams.load(decider, short);
    lengths[short] = 11;
    expect(await readBy(() => streams.load(decider, short))).toBe(7);
    expect(await readBy(() => streams.load(decider, short))).toBe(1);
    await streams.load(decider, further);
    expect(await readBy(() => streams.load(decider, short))).toBe(1);
  });
});
