import { balancesProjection } from '@refledger/projections';
import { ReadModelUnreadable, type Query } from '@refledger/read-store';
import { MoneyReads } from './money-reads.js';

const unreadable = () => Promise.reject(new ReadModelUnreadable('balances', undefined));
const query: Query = { where: [], order: { fields: ['id'], descending: false }, limit: 1 };
const money = new MoneyReads(
  { get: unreadable, find: unreadable },
  {
    logId: 'log',
    settle: () => Promise.resolve(undefined),
    postedThrough: () => Promise.reject(new Error()),
  },
);

it.each([
  ['get', () => money.get(balancesProjection, 'bal_1')],
  ['find', () => money.find(balancesProjection, query)],
])('%s throws ledger_behind while the read model is being built', async (_, read) => {
  await expect(read()).rejects.toMatchObject({
    code: 'ledger_behind',
    message: 'The read model balances is being built. Retry later.',
  });
});
