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

/**
 * The conversions of every account, as the API lists them. To find one by its
 * `external_transaction_id`, look up its id, which derives from that.
 */
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

/** The stored record of a conversion. */
export type ConversionDocument = ConversionRecord & { readonly account_id: AccountId };

/** Returns the API's record of a document. */
export const conversionFromDocument = (document: Document): ConversionRecord => {
  const { account_id: _, ...record } = document as ConversionDocument;
  return record;
};

/**
 * Converts documents of one account (JSON, one per line) into API records (JSON, separated by
 * commas). Cuts the account out without parsing: it comes first and contains no comma.
 */
export const conversionsJsonFromDocuments = (documents: string): string => {
  const account = /^\{"account_id":"[^",]*",/.exec(documents)?.[0];
  const records = account && `{${documents.slice(account.length).replaceAll(`\n${account}`, ',{')}`;
  // A newline remains if some document has another shape.
  if (records !== undefined && !records.includes('\n')) return records;
  return documents
    .split('\n')
    .map((document) => JSON.stringify(conversionFromDocument(JSON.parse(document) as Document)))
    .join(',');
};

/** Whether an event concerns a conversion. */
export const isConversionEvent = (event: Recorded): event is Recorded<ConversionEvent> =>
  event.type.startsWith('conversion.');

const toDocument = (account_id: AccountId, record: ConversionRecord): ConversionDocument => ({
  account_id,
  ...record,
});

/** Only decisions depend on how the conversion was recorded, so the current record serves here. */
const stateOf = (document: Document | undefined): ConversionState => {
  if (document === undefined) return conversionDecider.initial;
  const record = conversionFromDocument(document);
  return { kind: 'recorded', record, asRecorded: record };
};
