import { derivedId, streams } from '@refledger/contracts';
import type { CustomerEvent } from '@refledger/contracts';
import { given, when } from '../../test/scenario.js';
import { customerDecider, customerHash, type Customer } from './customer.decider.js';

const account_id = derivedId('account', '1');
const affiliate_id = derivedId('affiliate', 'ada');
const metadata = {
  account_id,
  actor: 'key',
  request_id: 'r',
  schema: 1,
  recorded_at: '2026-01-01T00:00:00.000Z',
};
const saleWith = (n: number): Customer => {
  const conversion_id = derivedId('conversion', `${n}`);
  const event = { id: `e${n}`, type: 'conversion.created', data: { any: n }, metadata };
  return {
    conversion_id,
    affiliate_id,
    occurred_at: `2026-01-0${n}T00:00:00.000Z`,
    append: {
      stream: streams.conversion(conversion_id),
      expected_revision: null,
      events: [event],
    },
  };
};

it('records the first sale to a customer, and replaces it if it is void', () => {
  const referred: CustomerEvent = { type: 'customer.referred', data: saleWith(1) };
  const take = (n: number) => ({ type: 'take', data: saleWith(n) }) as const;
  expect(when(customerDecider, given(customerDecider), take(1))).toEqual([referred]);
  const state = given(customerDecider, referred);
  expect(when(customerDecider, state, take(1))).toEqual([]);
  expect(when(customerDecider, state, take(2))).toEqual([{ ...referred, data: saleWith(2) }]);
});

it('has one stream for each account, affiliate and customer', () => {
  const customer = { account_id, affiliate_id, customer_id: 'bob' };
  const others = [
    { ...customer, account_id: derivedId('account', '2') },
    { ...customer, affiliate_id: derivedId('affiliate', 'eve') },
    { ...customer, customer_id: 'Bob' },
    { ...customer, customer_id: 'bob ' },
  ];
  expect(new Set([customer, ...others].map(customerHash)).size).toBe(5);
  expect(customerHash({ ...customer })).toBe(customerHash(customer));
});
