import { EventLogError } from './event-log-error.js';
import { openWithRetry } from './open-with-retry.js';

const away = new EventLogError({ kind: 'unavailable' }, 'away');

it('tries again for as long as the log is away, and says so', async () => {
  const said: string[] = [];
  let tries = 0;
  const log = await openWithRetry(
    () => (++tries < 3 ? Promise.reject(away) : Promise.resolve('the log')),
    { onWait: ({ message }) => said.push(message), signal: new AbortController().signal },
  );
  expect([log, said]).toEqual(['the log', ['away', 'away']]);
});

it.each([
  ['what waiting does not mend', new EventLogError({ kind: 'unusable' }, 'wrong password'), false],
  ['that it is away, once it shall wait no longer', away, true],
])('throws %s', async (_name, error, aborted) => {
  const ending = new AbortController();
  if (aborted) ending.abort();
  await expect(
    openWithRetry(() => Promise.reject(error), { onWait: () => undefined, signal: ending.signal }),
  ).rejects.toBe(error);
});

it('asks whoever opens another engine what being away is', async () => {
  let tries = 0;
  const isAway = (error: unknown): error is Error => error instanceof RangeError;
  const options = { isAway, onWait: () => undefined, signal: new AbortController().signal };
  await expect(
    openWithRetry(
      () => (++tries < 2 ? Promise.reject(new RangeError('away')) : Promise.resolve('the store')),
      options,
    ),
  ).resolves.toBe('the store');
  await expect(
    openWithRetry(() => Promise.reject(new TypeError('wrong')), options),
  ).rejects.toThrow('wrong');
});
