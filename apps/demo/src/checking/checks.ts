import { balancesCheck, type Earnings } from './balances.js';
import type { ShopResponses } from './responses.js';
import type { Books } from './books.js';
import type { Check } from './ledger.js';
import type { Receiver } from '../service/receiver.js';

interface Facts {
  readonly books: Books;
  readonly receiver: Pick<Receiver, 'tally' | 'events'>;
  readonly responses: ShopResponses;
  /** The affiliates' earnings, according to the balances. */
  readonly earned: Earnings;
  readonly kills: number;
}

/** The checks in addition to the ledger's figures. */
export const checksOf = (facts: Facts): Check[] => [
  ...responseChecks(facts),
  balancesCheck(facts.books.sales, facts.earned),
  ...webhookChecks(facts),
  {
    label: 'kill -9 of the service mid-day',
    found: String(facts.kills),
    holds: facts.kills === 1,
  },
];

const responseChecks = ({ books, responses }: Facts): Check[] => {
  const named = [...responses.accepted.values()];
  const responseCount =
    named.flat().length + [...responses.refused.values()].reduce((sum, times) => sum + times, 0);
  const allowedRefusals = books.refused.filter(({ number }) =>
    responses.refused.has(number),
  ).length;
  return [
    {
      label: 'an order sent twice is one sale',
      found: `${named.flat().length - named.length} duplicates`,
      holds: responseCount === books.sent && named.every((ids) => new Set(ids).size === 1),
    },
    {
      label: 'sales of the suspended affiliate are rejected',
      found: `${responses.refused.size} of ${books.refused.length}`,
      holds:
        allowedRefusals === books.refused.length && responses.refused.size === books.refused.length,
    },
    {
      label: 'unexpected responses',
      found: responses.unexpected.join(', ') || 'none',
      holds: responses.unexpected.length === 0,
    },
  ];
};

const webhookChecks = ({ books, receiver }: Facts): Check[] => {
  const { arrived, valid, repeated, changed, rejected } = receiver.tally;
  const missing = [...books.events].filter((event) => !receiver.events.has(event));
  const extra = [...receiver.events].filter((event) => !books.events.has(event));
  return [
    {
      label: 'events received by webhook',
      found: `${books.events.size - missing.length} of ${books.events.size}${extra.length > 0 ? `, and ${extra.length} that never happened` : ''}`,
      holds: missing.length === 0 && extra.length === 0,
    },
    {
      label: 'signatures verified',
      found: `${valid} of ${arrived}`,
      holds: valid === arrived && arrived > 0,
    },
    {
      label: 'repeated webhooks have the same bytes',
      found: changed > 0 ? `${changed} of ${repeated} differ` : `${repeated} repeated`,
      holds: changed === 0,
    },
    {
      label: 'webhooks rejected while the receiver was down',
      found: `${rejected}, sent again later`,
      holds: true,
    },
  ];
};
