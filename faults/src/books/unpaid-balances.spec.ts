import type { LoggedEvent } from '@refledger/event-log';
import type { Balance } from '@refledger/testing';
import { historyOf } from '../history.js';
import { unpaidBalancesOf } from './unpaid-balances.js';

const day = '2026-01-31';
const balance = {
  id: 'bal_1',
  affiliate_id: 'aff_1',
  program_id: 'prog_1',
  currency: 'USD',
  minimum: 100,
} as Balance;

type Logged = readonly [type: string, revision: number, data: object];

const leftOut = (...events: readonly Logged[]) =>
  unpaidBalancesOf(
    historyOf(
      events.map(
        ([type, revision, data], index) =>
          ({
            ...{ type, revision, data, position: String(index + 1) },
            metadata: { recorded_at: `${day}T09:30:00.000Z` },
          }) as unknown as LoggedEvent,
      ),
    ),
    [balance],
  ).map(({ due, isPayable }) => [due, isPayable]);

const affiliate = (status: string, revision = 0): Logged => [
  revision === 0 ? 'affiliate.created' : 'affiliate.updated',
  revision,
  { affiliate_id: 'aff_1', program_id: 'prog_1', after: { status } },
];
const posted = (number: number, amount: number, payable_on = day): Logged => [
  'balance.posted',
  number,
  { balance_id: 'bal_1', number, amount, payable_on },
];
const reserved: Logged = [
  'balance.reserved',
  2,
  {
    balance_id: 'bal_1',
    payout_id: 'pay_1',
    buckets: [{ payable_on: day, ranges: [{ from: 1, to: 1 }] }],
  },
];
const started = (scope: object = {}): Logged => [
  'payout_run.started',
  0,
  {
    ...{ run_id: 'run_1', program_id: null, currency: null, affiliate_ids: null },
    ...{ until: day, ignore_minimum: false, ...scope },
    after: { status: 'running', marks: [] },
  },
];
const finished: Logged = [
  'payout_run.finished',
  1,
  { run_id: 'run_1', after: { status: 'finished' }, totals: [] },
];

it.each<[string, readonly Logged[], readonly (readonly [number, boolean])[]]>([
  ['could be paid', [affiliate('approved'), posted(1, 100), started(), finished], [[100, true]]],
  ['is not approved', [affiliate('pending'), posted(1, 100), started(), finished], [[100, false]]],
  [
    'was approved too late',
    [affiliate('pending'), posted(1, 100), started(), affiliate('approved', 1), finished],
    [[100, false]],
  ],
  [
    'is below its minimum',
    [affiliate('approved'), posted(1, 99), started(), finished],
    [[99, false]],
  ],
  [
    'is below a minimum that is ignored',
    [affiliate('approved'), posted(1, 99), started({ ignore_minimum: true }), finished],
    [[99, true]],
  ],
  ['is not due', [affiliate('approved'), posted(1, 100, '2026-02-01'), started(), finished], []],
  ['was posted later', [affiliate('approved'), started(), posted(1, 100), finished], []],
  ['was paid before', [affiliate('approved'), posted(1, 100), reserved, started(), finished], []],
  [
    'was paid meanwhile',
    [affiliate('approved'), posted(1, 100), started(), reserved, finished],
    [],
  ],
  [
    'is outside the scope',
    [affiliate('approved'), posted(1, 100), started({ currency: 'EUR' }), finished],
    [],
  ],
  ['belongs to an unfinished run', [affiliate('approved'), posted(1, 100), started()], []],
])('a balance that %s', (_what, events, found) => {
  expect(leftOut(...events)).toEqual(found);
});
