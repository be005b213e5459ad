import type { AccountId, ConversionEvent, ConversionRecord, Recorded } from '@refledger/contracts';
import {
  conversionDecider,
  conversionRecord,
  metaOf,
  type ConversionState,
} from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { listedBy } from './indexes.js';
import type { Projection } from './projection.js';

/** The conversions of every account, as the API lists them. One is found by its `external_transaction_id` by its own id, which follows from that. */
export const conversionsProjection: Projection = {
  name: 'conversions',
  version: 4,
  collections: [
    {
      name: 'conversions',
      indexes: [
        listedBy(['affiliate_id'], ['program_id', 'status', 'sale_currency']),
        listedBy(['affiliate_id']),
        listedBy(['program_id'], ['status', 'sale_currency']),
        listedBy(['program_id']),
        listedBy([], ['status', 'sale_currency']),
        listedBy([]),
      ],
    },
  ],
  keysOf: (event) =>
    isConversionEvent(event)
      ? [
          {
            collection: 'conversions',
            id: event.data.conversion_id,
            begins: event.type === 'conversion.created',
          },
        ]
      : [],
  evolve: (document, event) => {
    if (!isConversionEvent(event)) return undefined;
    const record = conversionRecord(
      conversionDecider.evolve(stateOf(document), event, metaOf(event)),
    );
    return record && toDocument(event.metadata.account_id as AccountId, record);
  },
};

export type ConversionDocument = ConversionRecord & { readonly account_id: AccountId };

/** The record of the API. */
export const conversionFromDocument = (document: Document): ConversionRecord => {
  const { account_id: _, ...record } = document as ConversionDocument;
  return record;
};

/** The same for documents of one account, from texts a line each to texts between commas: nothing is left out but the account, which comes first and holds no comma. */
export const conversionsJsonFromDocuments = (documents: string): string => {
  const account = /^\{"account_id":"[^",]*",/.exec(documents)?.[0];
  const records = account && `{${documents.slice(account.length).replaceAll(`\n${account}`, ',{')}`;
  // a newline is left where a document is of another shape
  if (records !== undefined && !records.includes('\n')) return records;
  return documents
    .split('\n')
    .map((document) => JSON.stringify(conversionFromDocument(JSON.parse(document) as Document)))
    .join(',');
};

/** Whether an event is about a conversion. */
export const isConversionEvent = (event: Recorded): event is Recorded<ConversionEvent> =>
  event.type.startsWith('conversion.');

const toDocument = (account_id: AccountId, record: ConversionRecord): ConversionDocument => ({
  account_id,
  ...record,
});

/** How it was recorded matters to decisions only. */
const stateOf = (document: Document | undefined): ConversionState => {
  if (document === undefined) return conversionDecider.initial;
  const record = conversionFromDocument(document);
  return { kind: 'recorded', record, asRecorded: record };
};
