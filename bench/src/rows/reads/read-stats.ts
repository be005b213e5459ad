import type { ConversionStatus } from '@refledger/contracts';
import type { ByStatus } from '../../data-set/known-figures.js';
import { checkedTargets, some, type ReadKind } from './read.js';

interface Stats {
  readonly currencies: readonly {
    readonly currency: string;
    readonly conversions: Readonly<Record<string, number>>;
    readonly sale_amount: Readonly<Record<string, number>>;
  }[];
}

/** Statistics of big and small affiliates, right to the cent. */
export const readStats: ReadKind = {
  name: 'stats',
  title: 'GET /v1/affiliates/:id/stats',
  targets: (service, { figures }) =>
    checkedTargets<Stats>(
      service,
      some(Object.entries(figures), 500).map(([id, known]) => [
        `/v1/affiliates/${id}/stats`,
        (stats) => areKnown(stats, known),
      ]),
    ),
};

const areKnown = ({ currencies }: Stats, known: Readonly<Record<string, ByStatus>>): boolean =>
  currencies.length === Object.keys(known).length &&
  currencies.every(({ currency, conversions, sale_amount }) =>
    Object.entries(known[currency] ?? {}).every(
      ([status, { count, amount }]) =>
        conversions[status as ConversionStatus] === count &&
        sale_amount[status as ConversionStatus] === amount,
    ),
  );
