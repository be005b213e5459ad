import { present } from '@refledger/testing/present';
import type { Books } from './books.js';
import { checksOf } from './checks.js';
import { affiliates } from '../day/people.js';

const books: Books = {
  sales: [{ number: 'a', status: 'approved', amount: 9n, currency: 'USD', earned: 2n }],
  payouts: new Map(),
  refused: [{ number: 'b', affiliate: present(affiliates[0]), amount: 1, currency: 'USD' }],
  sent: 3,
  events: new Set(['conversion.created a']),
};
const tally = { arrived: 2, valid: 2, repeated: 1, rejected: 0, changed: 0 };
const right = {
  books,
  earned: new Map([['USD', 2n]]),
  kills: 1,
  receiver: { tally, events: new Set(['conversion.created a']) },
  responses: {
    accepted: new Map([['a', ['conv_1', 'conv_1']]]),
    refused: new Map([['b', 1]]),
    unexpected: [],
  },
};
const failing = (facts: Parameters<typeof checksOf>[0]) =>
  checksOf(facts)
    .filter(({ holds }) => !holds)
    .map(({ label }) => label);

it('passes when the day goes as planned', () => expect(failing(right)).toEqual([]));

it.each([
  [
    'an order sent twice is one sale',
    {
      ...right,
      responses: { ...right.responses, accepted: new Map([['a', ['conv_1', 'conv_2']]]) },
    },
  ],
  [
    'an order sent twice is one sale',
    { ...right, responses: { ...right.responses, accepted: new Map([['a', ['conv_1']]]) } },
  ],
  [
    'sales of the suspended affiliate are rejected',
    {
      ...right,
      responses: {
        ...right.responses,
        accepted: new Map([
          ['a', ['c', 'c']],
          ['b', ['d']],
        ]),
        refused: new Map(),
      },
    },
  ],
  ['unexpected responses', { ...right, responses: { ...right.responses, unexpected: ['404'] } }],
  ['events received by webhook', { ...right, receiver: { tally, events: new Set<string>() } }],
  [
    'events received by webhook',
    {
      ...right,
      receiver: { tally, events: new Set(['conversion.created a', 'conversion.created b']) },
    },
  ],
  [
    'signatures verified',
    { ...right, receiver: { ...right.receiver, tally: { ...tally, valid: 1 } } },
  ],
  [
    'repeated webhooks have the same bytes',
    { ...right, receiver: { ...right.receiver, tally: { ...tally, changed: 1 } } },
  ],
  ['balances match what affiliates have earned', { ...right, earned: new Map([['USD', 3n]]) }],
  ['balances match what affiliates have earned', { ...right, earned: new Map<string, bigint>() }],
  [
    'balances match what affiliates have earned',
    {
      ...right,
      earned: new Map([
        ['USD', 2n],
        ['EUR', 1n],
      ]),
    },
  ],
  ['kill -9 of the service mid-day', { ...right, kills: 0 }],
])('notices: %s', (label, facts) => expect(failing(facts)).toEqual([label]));
