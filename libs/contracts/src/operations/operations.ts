import { accountOperations } from './account.operations.js';
import { adjustmentOperations } from './adjustment.operations.js';
import { affiliateOperations } from './affiliate.operations.js';
import { balanceOperations } from './balance.operations.js';
import { conversionOperations } from './conversion.operations.js';
import { deliveryOperations } from './delivery.operations.js';
import { payoutOperations } from './payout.operations.js';
import { payoutRunOperations } from './payout-run.operations.js';
import { programOperations } from './program.operations.js';
import { replayOperations } from './replay.operations.js';
import { webhookOperations } from './webhook.operations.js';

export type { OperationSpec } from './operation-spec.js';

/** The operations of the HTTP API by tag, in the order of the OpenAPI document. */
export const operationsByTag = {
  Conversions: conversionOperations,
  Affiliates: affiliateOperations,
  Programs: programOperations,
  Adjustments: adjustmentOperations,
  Balances: balanceOperations,
  Payouts: { ...payoutOperations, ...payoutRunOperations },
  Webhooks: { ...webhookOperations, ...deliveryOperations, ...replayOperations },
  'Accounts and keys': accountOperations,
};

/** Every operation of the HTTP API, by operation id, in the order of the OpenAPI document. */
export const operations = {
  ...conversionOperations,
  ...affiliateOperations,
  ...programOperations,
  ...adjustmentOperations,
  ...balanceOperations,
  ...payoutOperations,
  ...payoutRunOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...replayOperations,
  ...accountOperations,
};

/** The id of an operation, as in the OpenAPI document. */
export type OperationId = keyof typeof operations;
