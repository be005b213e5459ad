import { EventLogError } from './event-log-error.js';
import { openWithRetry } from './open-with-retry.js';

const away = new EventLogError({ kind: 'unavailable' }, 'away');

it('retries for as long as the log is unavailable, and reports it', async () => {
  const reported: string[] = [];
  let attempts = 0;
  const log = await openWithRetry(
    () => (++attempts < 3 ? Promise.reject(away) : Promise.resolve('the log')),
    { onWait: ({ message }) => reported.push(message), signal: new AbortController().signal },
  );
  expect([log, reported]).toEqual(['the log', ['away', 'away']]);
});

it.each([
  [
    'an error that waiting does not fix',
    new EventLogError({ kind: 'unusable' }, 'wrong password'),
    false,
  ],
  ['that the log is unavailable, once the signal aborts', away, true],
])('throws %s', async (_name, error, aborted) => {
  const ending = new AbortController();
  if (aborted) ending.abort();
  await expect(
    openWithRetry(() => Promise.reject(error), { onWait: () => undefined, signal: ending.signal }),
  ).rejects.toBe(error);
});

it('lets the opener of another engine define unavailability', async () => {
  let attempts = 0;
  const isUnavailable = (error: unknown): error is Error => error instanceof RangeError;
  const options = { isUnavailable, onWait: () => undefined, signal: new AbortController().signal };
  await expect(
    openWithRetry(
      () =>
        ++attempts < 2 ? Promise.reject(new RangeError('away')) : Promise.resolve('the store'),
      options,
    ),
  ).resolves.toBe('the store');
  await expect(
    openWithRetry(() => Promise.reject(new TypeError('wrong')), options),
  ).rejects.toThrow('wrong');
});
