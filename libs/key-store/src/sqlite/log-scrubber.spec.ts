import { SqliteError } from '@refledger/sqlite';
import { LogScrubber } from './log-scrubber.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('rejects while the log cannot be truncated, and goes on trying until it can', async () => {
  let isFailing = true;
  const truncate = jest.fn(() => {
    if (isFailing) throw new SqliteError('io', 'personal-keys.db', 'the disk failed');
  });
  const scrubber = new LogScrubber(truncate);
  await expect(scrubber.scrub()).rejects.toThrow('the disk failed');
  jest.advanceTimersByTime(2_000);
  expect(truncate).toHaveBeenCalledTimes(3);
  isFailing = false;
  jest.advanceTimersByTime(10_000);
  expect(truncate).toHaveBeenCalledTimes(4);
});

it('starts with what an earlier process left, and stops', () => {
  const truncate = jest.fn(() => {
    throw new SqliteError('busy', 'personal-keys.db', 'another connection uses it');
  });
  const scrubber = new LogScrubber(truncate);
  scrubber.start();
  jest.advanceTimersByTime(1_000);
  expect(truncate).toHaveBeenCalledTimes(2);
  scrubber.stop();
  jest.advanceTimersByTime(10_000);
  expect(truncate).toHaveBeenCalledTimes(2);
});
