import type { ConversionRecord } from '@refledger/contracts';
import type { DataSet } from '../../data-set/data-sets.js';
import { checkedTargets, some, type ReadKind } from './read.js';

interface Page {
  readonly data: readonly ConversionRecord[];
}

/**
 * First pages of big and small affiliates, of programs and of statuses, and pages from deep in the
 * year.
 */
export const readList: ReadKind = {
  name: 'list',
  title: 'GET /v1/conversions, a page of 25',
  targets: (service, dataSet) =>
    checkedTargets<Page>(service, [
      ['/v1/conversions', (page) => isPage(page, () => true)],
      ...some(affiliatesWithAPage(dataSet), 100).map(
        (id) =>
          [
            `/v1/conversions?affiliate_id=${id}`,
            (page: Page) => isPage(page, ({ affiliate_id }) => affiliate_id === id),
          ] as const,
      ),
      ...some(dataSet.sample.slice(dataSet.sample.length / 5), 60).map(
        ({ created_at: at }) =>
          [
            `/v1/conversions?created_before=${at}`,
            (page: Page) => isPage(page, ({ created_at }) => created_at < at),
          ] as const,
      ),
      ...(['pending', 'approved'] as const).map(
        (wanted) =>
          [
            `/v1/conversions?status=${wanted}`,
            (page: Page) => isPage(page, ({ status }) => status === wanted),
          ] as const,
      ),
      ...programs(dataSet).map(
        (id) =>
          [
            `/v1/conversions?program_id=${id}`,
            (page: Page) => isPage(page, ({ program_id }) => program_id === id),
          ] as const,
      ),
    ]),
};

const pageSize = 25;

/** A full page, newest first, on which every record matches. */
const isPage = ({ data }: Page, matches: (record: ConversionRecord) => boolean): boolean =>
  data.length === pageSize &&
  data.every(matches) &&
  data.every(
    ({ created_at }, index) => index === 0 || created_at <= (data[index - 1]?.created_at ?? ''),
  );

const affiliatesWithAPage = ({ figures }: DataSet): readonly string[] =>
  Object.entries(figures)
    .filter(
      ([, currencies]) =>
        countOf(Object.values(currencies).flatMap((byStatus) => Object.values(byStatus))) >=
        pageSize,
    )
    .map(([id]) => id);

const countOf = (cells: readonly { readonly count: number }[]): number =>
  cells.reduce((sum, { count }) => sum + count, 0);

const programs = ({ sample }: DataSet): readonly string[] => [
  ...new Set(sample.map(({ program_id }) => program_id)),
];
