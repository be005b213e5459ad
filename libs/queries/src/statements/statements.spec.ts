import { streams, type Position } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { Statements, type StatementsParts } from './statements.js';

/** The months of an account without statements; posting knows the first decision of operators. */
const statementsWith = (decisions: number): Statements => {
  const position = '9' as Position;
  const log: StatementsParts['log'] = {
    async *readStream(stream, { from = 0 } = {}) {
      expect(stream).toBe(streams.processor('posting'));
      // the cast holds: nothing of a decision is read
      yield await Promise.resolve(
        Array.from({ length: decisions - from }, () => ({}) as LoggedEvent),
      );
    },
  };
  const posted = { position, postedPosition: position, logTime: '2026-11-01T00:00:00.000Z' };
  const money = {
    settle: () => Promise.resolve(position),
    postedThrough: () => Promise.resolve({ ...posted, decidedRevision: 0 }),
    find: () => Promise.resolve({ value: [], position }),
  };
  const commands = { instant: () => '2026-11-01T00:00:00.000Z' };
  return new Statements({ log, money, commands } as unknown as StatementsParts);
};

it.each([
  ['once posting knows all decisions of operators', 1, true],
  ['not while posting has not worked out log time by a new one', 2, false],
])('a month is final %s', async (_, decisions, final) => {
  const statements = statementsWith(decisions);
  const read = { caller: { accountId: 'acct_1', keyId: 'key_1' }, minPosition: undefined } as const;
  const summary = await statements.summary(read, statements.period('2026-10'));
  expect(summary).toMatchObject({ final });
});
