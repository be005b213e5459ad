import type { KeyId } from '@refledger/contracts';
import type { KeyUses } from '@refledger/read-store';
import { KeyUseRecorder } from './key-use-recorder.js';

const [one, two]: readonly [KeyId, KeyId] = ['key_1', 'key_2'];
const nine = '2026-01-31T09:00:00.000Z';

let now: number;
let saves: KeyUses[];
/** Called by each save before it is done. */
let during: () => Promise<void>;
let stored: Map<KeyId, string>;
const warn = jest.fn();
let recorder: KeyUseRecorder;
beforeEach(() => {
  jest.useFakeTimers();
  now = Date.parse('2026-01-31T09:59:59.999Z');
  saves = [];
  during = () => Promise.resolve();
  stored = new Map();
  warn.mockClear();
  const store = {
    recordKeyUses: async (uses: KeyUses) => {
      saves.push(uses);
      await during();
      for (const [key, usedAt] of uses) stored.set(key, usedAt);
    },
    keyUses: () => Promise.resolve(stored),
  };
  recorder = new KeyUseRecorder({ store, logger: { warn }, now: () => now });
});
afterEach(async () => {
  await recorder.close();
  jest.useRealTimers();
});

it('saves one use per key and hour, together', async () => {
  for (let n = 0; n < 1_000; n++) recorder.record(n % 2 === 0 ? one : two);
  expect(saves).toEqual([]);
  await jest.runAllTimersAsync();
  expect(saves).toEqual([
    new Map([
      [one, nine],
      [two, nine],
    ]),
  ]);
  recorder.record(one);
  await jest.runAllTimersAsync();
  expect(saves).toHaveLength(1);

  now += 1;
  recorder.record(one);
  await jest.runAllTimersAsync();
  expect(saves.slice(1)).toEqual([new Map([[one, '2026-01-31T10:00:00.000Z']])]);
});

it('shows a use before it is saved', async () => {
  stored.set(two, nine).set(one, '2026-01-31T08:00:00.000Z');
  recorder.record(one);
  expect(await recorder.lastUses([one, two])).toEqual(
    new Map([
      [two, nine],
      [one, nine],
    ]),
  );
});

it('shows the later of two uses, although a clock was set back', async () => {
  stored.set(one, '2026-01-31T12:00:00.000Z');
  recorder.record(one);
  expect((await recorder.lastUses([one])).get(one)).toBe('2026-01-31T12:00:00.000Z');
});

it('saves again what could not be saved, and says so once per attempt', async () => {
  during = () => Promise.reject(new Error('away'));
  recorder.record(one);
  await jest.advanceTimersByTimeAsync(1_000);
  recorder.record(two);
  await jest.advanceTimersByTimeAsync(29_999);
  expect([saves.length, warn.mock.calls.length]).toEqual([1, 1]);
  expect((await recorder.lastUses([one])).get(one)).toBe(nine);

  during = () => Promise.resolve();
  await jest.advanceTimersByTimeAsync(1);
  expect([...stored.keys()]).toEqual([one, two]);
  await jest.runAllTimersAsync();
  expect(saves).toHaveLength(2);
});

it('saves what is left when the service ends', async () => {
  recorder.record(one);
  await recorder.close();
  expect(stored.get(one)).toBe(nine);
});

it('saves a use that is noted while an earlier one of the key is saved', async () => {
  during = () => {
    during = () => Promise.resolve();
    now += 3_600_000;
    recorder.record(one);
    return Promise.resolve();
  };
  recorder.record(one);
  await jest.runAllTimersAsync();
  expect(stored.get(one)).toBe('2026-01-31T10:00:00.000Z');
});

it('saves many keys in batches', async () => {
  for (let n = 0; n < 1_200; n++) recorder.record(`key_${n}`);
  await jest.runAllTimersAsync();
  expect(saves.map(({ size }) => size)).toEqual([500, 500, 200]);
});
