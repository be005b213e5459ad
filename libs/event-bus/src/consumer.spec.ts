import type { BusBatch, ConsumeOptions } from './event-bus.js';
import { keepConsuming } from './consumer.js';

const batch = (offset: number): BusBatch => ({
  records: [],
  offset: { source: 's', partition: 'p', offset: String(offset) },
});

/** A bus that yields three batches after the consumer's offset, then waits for the abort. */
const bus = {
  async *consume({ offsetOf, signal, onAssigned }: ConsumeOptions) {
    const offset = await offsetOf('p');
    onAssigned?.('p');
    for (let n = Number(offset?.offset ?? 0) + 1; n <= 3; n++) yield batch(n);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
};

it('passes on batch after batch, and after an error continues from the stored offset', async () => {
  const ending = new AbortController();
  const handled: string[] = [];
  const met: unknown[] = [];
  let kept = 0;
  const consumer = {
    admitted: () => Promise.resolve(),
    offsetOf: () => Promise.resolve(kept === 0 ? undefined : batch(kept).offset),
    onError: (error: unknown) => Promise.resolve(void met.push(error)),
  };
  const handle = ({ offset }: BusBatch): Promise<void> => {
    handled.push(offset.offset);
    if (offset.offset === '2' && met.length === 0)
      return Promise.reject(new Error('the store is unavailable'));
    kept = Number(offset.offset);
    if (kept === 3) ending.abort();
    return Promise.resolve();
  };
  await keepConsuming({ bus, consumer, handle, signal: ending.signal });
  expect(handled).toEqual(['1', '2', '2', '3']);
  expect(met).toEqual([new Error('the store is unavailable')]);
});

it('starts only when it is admitted, and never once it is aborted', async () => {
  const ending = new AbortController();
  const offsetOf = jest.fn();
  const admitted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  const consuming = keepConsuming({
    bus,
    consumer: { admitted, offsetOf, onError: () => Promise.resolve() },
    handle: () => Promise.resolve(),
    signal: ending.signal,
  });
  ending.abort();
  await consuming;
  expect(offsetOf).not.toHaveBeenCalled();
});

it('treats an unrequested end of the bus as an error', async () => {
  const ending = new AbortController();
  const met: unknown[] = [];
  const consumer = {
    admitted: () => Promise.resolve(),
    offsetOf: () => Promise.resolve(undefined),
    onError: (error: unknown) => {
      met.push(error);
      ending.abort();
      return Promise.resolve();
    },
  };
  const ended = {
    async *consume() {
      yield await Promise.resolve(batch(1));
    },
  };
  await keepConsuming({
    bus: ended,
    consumer,
    handle: () => Promise.resolve(),
    signal: ending.signal,
  });
  expect(met).toEqual([new Error('the event bus ended')]);
});
