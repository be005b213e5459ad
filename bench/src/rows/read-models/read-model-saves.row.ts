import { randomUUID } from 'node:crypto';
import { toPosition, type Position } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import {
  openReadStore,
  type ChangedDocument,
  type Document,
  type ReadStore,
  type StoredDocument,
} from '@refledger/read-store';
import { openRawMongodb } from '@refledger/testing/mongodb';
import { databaseUrl, requireServers } from '@refledger/testing/servers';
import { projections } from '@refledger/projections';
import { serverNote } from '../../report/server-note.js';
import type { Figures, Row } from '../../row.js';

const projection = projections.find(({ name }) => name === 'conversions') ?? projections[0];
const batchSize = 1_000;

/**
 * Saves a thousand conversions at a time with all their indexes: new ones, and the same ones again
 * at a later position.
 */
export const readModelSaves: Row = {
  name: 'read-model-saves',
  title: 'saving documents of a projection on MongoDB',
  yardstick: 'the raw driver on the same server',
  isDistributed: true,
  figures: [
    { name: 'new documents', unit: '/s', goals: [] },
    { name: 'changed documents', unit: '/s', goals: [] },
    { name: 'embedded, new', unit: '/s', goals: [] },
  ],
  prepare: async (bench) => {
    const started = await requireServers('MongoDB').start('MongoDB');
    const server = bench.use({ ...started, close: () => started.stop() });
    bench.note(serverNote(server));
    const dataDir = await bench.directory();
    const open = async (url: string) =>
      bench.use(await openReadStore(url, { dataDir, mode: 'write' }));
    const store = await open(databaseUrl(server.url, 'refledger'));
    const embedded = await open(embeddedUrls.READ_STORE_URL);
    const raw = bench.use(openRawMongodb(server.url));
    const count = bench.count(3_000);
    const indexes =
      projection?.collections[0]?.indexes.map(({ fields }) =>
        fields.map((field) => `key.${field}`),
      ) ?? [];
    return {
      measure: async (round) => ({
        ...(await saveRates(store, count, String(round))),
        'embedded, new': (await saveRates(embedded, count, String(round)))['new documents'] ?? 0,
      }),
      yardstick: async (round) => {
        const collection = await raw.collection(`round-${round}-${randomUUID()}`, indexes);
        const toRaw = ({ id, position, document }: StoredDocument) => ({
          _id: id,
          position: BigInt(position),
          live: true,
          json: JSON.stringify(document),
          key: document,
        });
        return {
          'new documents': await rateOf(sales(count, 1), (some) =>
            collection.insert(some.map(toRaw)),
          ),
          'changed documents': await rateOf(sales(count, 2), (some) =>
            collection.replace(some.map(toRaw)),
          ),
        };
      },
    };
  },
};

const saveRates = async (store: ReadStore, count: number, cause: string): Promise<Figures> => {
  if (projection === undefined) throw new Error('there are no projections');
  const build = await store.createBuild(projection, 'bench', cause);
  const save = (some: readonly ChangedDocument[]) =>
    store.save([
      {
        build,
        documents: new Map([[projection.collections[0]?.name ?? '', some]]),
        checkpoint: {
          logId: 'bench',
          position: some.at(-1)?.position ?? positionOf(0),
          eventId: 'e',
        },
      },
    ]);
  return {
    'new documents': await rateOf(sales(count, 1), save),
    'changed documents': await rateOf(sales(count, 2), save),
  };
};

const rateOf = async (
  documents: readonly ChangedDocument[],
  save: (some: readonly ChangedDocument[]) => Promise<unknown>,
): Promise<number> => {
  const begin = performance.now();
  for (let from = 0; from < documents.length; from += batchSize)
    await save(documents.slice(from, from + batchSize));
  return documents.length / ((performance.now() - begin) / 1_000);
};

/** Sales as the projection keeps them. The sales of the second round replace the first ones. */
const sales = (count: number, turn: number): readonly ChangedDocument[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `conv_${n}`,
    readPosition: turn === 1 ? undefined : positionOf((turn - 1) * count + n),
    position: positionOf(turn * count + n),
    document: sale(n, turn),
  }));

const sale = (n: number, turn: number): Document => ({
  account_id: 'acct_0123456789abcdefghij',
  id: `conv_${n}`,
  object: 'conversion',
  affiliate_id: `aff_${n % 50}`,
  program_id: 'default',
  status: turn === 1 ? 'pending' : 'approved',
  occurred_at: new Date(Date.UTC(2026, 0, 1) + 1_000 * n).toISOString(),
  sale_amount: 10_000 + n,
  refunded_amount: 0,
  sale_currency: 'USD',
  commission_amount: 1_000,
  commission: {
    source: 'program',
    terms_version: 1,
    type: 'percentage',
    rate_bps: 1_000,
    why: 'applied',
  },
  payable_on: '2026-03-02',
  external_transaction_id: `order-${n}`,
  metadata: { campaign: 'spring', device: 'phone' },
  reason: null,
  payout_id: null,
  created_at: new Date(Date.UTC(2026, 0, 1) + 1_000 * n).toISOString(),
  updated_at: '2026-01-31T09:30:00.000Z',
  approved_at: null,
  revision: turn - 1,
});

const positionOf = (n: number): Position => {
  const position = toPosition(String(n));
  if (position === undefined) throw new RangeError(`${n} is not a position`);
  return position;
};
