import { derivedId, toPosition, type Position, type ValidationIssue } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { replayRange, type ReplayRangeParts } from './replay-range.js';

const reader = { accountId: derivedId('account', 'a'), keyId: derivedId('key', 'k') };
const positionOf = (n: number): Position => present(toPosition(String(n)));
const second = (n: number): string => `2026-01-31T09:00:0${n}.000Z`;

/** A log with positions up to 40: position 10 at second 1, 20 at second 2, and so on. */
const parts: ReplayRangeParts = {
  commands: { instant: () => second(5) },
  times: {
    positionAt: (instant) => {
      const last = [4, 3, 2, 1].find((n) => second(n) <= instant);
      return Promise.resolve(last === undefined ? undefined : positionOf(last * 10));
    },
  },
  consistency: {
    readHead: () => Promise.resolve(positionOf(40)),
    settleLog: (_, asked, beyond) => {
      if (Number(asked) > 40 && beyond !== undefined) return Promise.reject(beyond(asked));
      return Promise.resolve();
    },
  },
};
const range = (since: string, until?: string) => replayRange({ since, until }, reader, parts);
const issueOf = async (asked: Promise<unknown>): Promise<Partial<ValidationIssue> | undefined> => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown as { extras: { errors: readonly ValidationIssue[] } },
  );
  const [issue] = error?.extras.errors ?? [];
  return issue && { path: issue.path, code: issue.code };
};

it.each([
  ['two positions, as they are', ['7', '31'], ['7', '31']],
  ['the start', ['0', '0'], ['0', '0']],
  ['up to the end of the log by default', ['7'], ['7', '40']],
  ['a time with what was recorded at it', [second(2), second(3)], ['10', '30']],
  ['a time with an offset', ['2026-01-31T10:00:02+01:00'], ['10', '40']],
  ['a time between two events', ['2026-01-31T09:00:02.001Z'], ['20', '40']],
  ['times before the log started', ['1969-01-01T00:00:00Z', second(0)], ['0', '0']],
  ['now', [second(5), second(5)], ['40', '40']],
])('takes %s', async (_, [since = '', until], [from, to]) => {
  expect(await range(since, until)).toEqual({ since: from, until: to });
});

it.each([
  ['since', '41', undefined, '/since'],
  ['until', '7', '41', '/until'],
  ['since', second(6), undefined, '/since'],
  ['until', '7', second(6), '/until'],
])('refuses %s ahead of the log or of the clock: %s to %s', async (_, since, until, path) => {
  expect(await issueOf(range(since, until))).toEqual({ path, code: 'too_large' });
});

it.each([
  ['8', '7'],
  ['21', second(2)],
  [second(3), '19'],
])('refuses since %s after until %s', async (since, until) => {
  expect(await issueOf(range(since, until))).toEqual({ path: '/since', code: 'too_large' });
});
