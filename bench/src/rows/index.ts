import type { Row } from '../row.js';
import { logAppend } from './log-append.row.js';
import { logFollow } from './log-follow.row.js';
import { balanceAtAMillion } from './ledger/balance-at-a-million.row.js';
import { ledgerEntries } from './ledger/ledger-entries.row.js';
import { ledgerLag } from './ledger/ledger-lag.row.js';
import { memoryLong } from './memory-long.row.js';
import { memory } from './memory.row.js';
import { postConversion } from './post-conversion.row.js';
import { postConversionCustomers } from './post-conversion-customers.row.js';
import { busConsume } from './bus-consume.row.js';
import { busRelay } from './bus-relay.row.js';
import { payoutAtAMillion } from './payouts/payout-at-a-million.row.js';
import { payoutOf100kLines } from './payouts/payout-of-100k-lines.row.js';
import { runOver10k } from './payouts/run-over-10k.row.js';
import { history } from './reads/history.row.js';
import { quote } from './reads/quote.row.js';
import { readAtAMillionRow } from './reads/read-at-a-million.row.js';
import { readById } from './reads/read-by-id.js';
import { readList } from './reads/read-list.js';
import { readModelLag } from './read-models/read-model-lag.row.js';
import { readModelLagDistributed } from './read-models/read-model-lag-distributed.row.js';
import { readStats } from './reads/read-stats.js';
import { readRow } from './reads/read.row.js';
import { rebuildDistributed } from './read-models/rebuild-distributed.row.js';
import { rebuild } from './read-models/rebuild.row.js';
import { start } from './start.row.js';
import { listAffiliates } from './affiliates/list-affiliates.js';
import { postAffiliate } from './affiliates/post-affiliate.row.js';
import { readAffiliate } from './affiliates/read-affiliate.js';
import { rebuildSearch } from './affiliates/rebuild-search.row.js';
import { startWithKeys } from './start-with-keys.row.js';
import { readModelSaves } from './read-models/read-model-saves.row.js';
import { replayOf100k } from './webhooks/replay-of-100k.row.js';
import { deliveryListsDistributed } from './webhooks/delivery-lists-distributed.row.js';
import { deliveryListsAtAMillion } from './webhooks/delivery-lists-at-a-million.row.js';
import { webhookLatencyCatchingUp } from './webhooks/webhook-latency-catching-up.row.js';
import { webhookLatencyDistributed } from './webhooks/webhook-latency-distributed.row.js';
import { webhookLatency } from './webhooks/webhook-latency.row.js';
import { webhookLatencySlowEndpoint } from './webhooks/webhook-latency-slow-endpoint.row.js';
import { webhooksOverload } from './webhooks/webhooks-overload.row.js';
import { webhooksSlowEndpoint } from './webhooks/webhooks-slow-endpoint.row.js';
import { webhooksSustained } from './webhooks/webhooks-sustained.row.js';

const reads = [readById, readList, readStats];

/** Every row, in the order of the table. The rows of the distributed engines are last. */
export const rows: readonly Row[] = [
  postConversion,
  postConversionCustomers,
  ...reads.map((kind) => readRow(kind, 0.5)),
  ...reads.map(readAtAMillionRow),
  postAffiliate,
  readRow(readAffiliate),
  readRow(listAffiliates),
  history,
  quote,
  rebuild,
  rebuildSearch,
  webhookLatency,
  webhooksSustained,
  webhooksOverload,
  webhooksSlowEndpoint,
  webhookLatencySlowEndpoint,
  webhookLatencyCatchingUp,
  replayOf100k,
  deliveryListsAtAMillion,
  readModelLag,
  ledgerLag,
  ledgerEntries,
  balanceAtAMillion,
  payoutAtAMillion,
  payoutOf100kLines,
  runOver10k,
  start,
  startWithKeys,
  memory,
  memoryLong,
  logAppend,
  logFollow,
  readModelSaves,
  busRelay,
  busConsume,
  rebuildDistributed,
  webhookLatencyDistributed,
  readModelLagDistributed,
  deliveryListsDistributed,
];
