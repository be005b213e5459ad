import type { AccountId, AffiliateId, ConversionId, ProgramId } from './ids.js';

/** The prefix of every stream of Refledger. Processors filter by it. */
export const streamPrefix = 'refledger.';

/** The name of a stream, which holds all events of one aggregate. */
export type StreamName = `refledger.${string}`;

/** The names of the streams, by aggregate. `allKeys` and `allWebhooks` are prefixes. */
export const streams = {
  log: 'refledger.log' as StreamName,
  account: (id: AccountId): StreamName => `refledger.account-${id}`,
  keys: (account: AccountId): StreamName => `refledger.keys-${account}`,
  allKeys: 'refledger.keys-' as StreamName,
  program: (account: AccountId, program: ProgramId): StreamName =>
    `refledger.program-${account}-${program}`,
  affiliate: (id: AffiliateId): StreamName => `refledger.affiliate-${id}`,
  claim: (hash: string): StreamName => `refledger.claim-${hash}`,
  conversion: (id: ConversionId): StreamName => `refledger.conversion-${id}`,
  webhooks: (account: AccountId): StreamName => `refledger.webhooks-${account}`,
  allWebhooks: 'refledger.webhooks-' as StreamName,
  processor: (name: string): StreamName => `refledger.processor-${name}`,
} as const;
