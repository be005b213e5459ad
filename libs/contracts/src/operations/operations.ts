import { accountOperations } from '../accounts/account.operations.js';
import { adjustmentOperations } from '../adjustments/adjustment.operations.js';
import { affiliateOperations } from '../affiliates/affiliate.operations.js';
import { affiliateBalanceOperations, balanceOperations } from '../balances/balance.operations.js';
import { entryOperations } from '../balances/entry.operations.js';
import { conversionOperations } from '../conversions/conversion.operations.js';
import { deliveryOperations } from '../deliveries/delivery.operations.js';
import { erasureOperations } from '../erasures/erasure.operations.js';
import { payoutOperations } from '../payouts/payout.operations.js';
import { payoutRunOperations } from '../payout-runs/payout-run.operations.js';
import { programOperations } from '../programs/program.operations.js';
import { replayOperations } from '../replays/replay.operations.js';
import { statementOperations } from '../statements/statement.operations.js';
import { webhookOperations } from '../webhooks/webhook-endpoint.operations.js';

export type { OperationSpec } from '../shared/operation-spec.js';

/** The operations of the HTTP API by tag, in the order of the OpenAPI document. */
export const operationsByTag = {
  Conversions: conversionOperations,
  Affiliates: { ...affiliateOperations, ...erasureOperations },
  Programs: programOperations,
  Adjustments: adjustmentOperations,
  Balances: {
    ...balanceOperations,
    ...statementOperations,
    ...affiliateBalanceOperations,
    ...entryOperations,
  },
  Payouts: { ...payoutOperations, ...payoutRunOperations },
  Webhooks: { ...webhookOperations, ...deliveryOperations, ...replayOperations },
  'Accounts and keys': accountOperations,
};

/** Every operation of the HTTP API, by operation id, in the order of the OpenAPI document. */
export const operations = {
  ...operationsByTag.Conversions,
  ...operationsByTag.Affiliates,
  ...operationsByTag.Programs,
  ...operationsByTag.Adjustments,
  ...operationsByTag.Balances,
  ...operationsByTag.Payouts,
  ...operationsByTag.Webhooks,
  ...operationsByTag['Accounts and keys'],
};

/** The id of an operation, as in the OpenAPI document. */
export type OperationId = keyof typeof operations;
