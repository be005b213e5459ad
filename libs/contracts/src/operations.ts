import { accountOperations } from './operations/account.operations.js';
import { affiliateOperations } from './operations/affiliate.operations.js';
import { conversionOperations } from './operations/conversion.operations.js';
import type { OperationSpec } from './operations/operation-spec.js';
import { webhookOperations } from './operations/webhook.operations.js';

export type { OperationSpec } from './operations/operation-spec.js';

/** Every operation of the HTTP API, by operation id, in the order of the OpenAPI document. */
export const operations = {
  ...conversionOperations,
  ...affiliateOperations,
  ...webhookOperations,
  ...accountOperations,
} as const satisfies Record<string, OperationSpec>;

export type OperationId = keyof typeof operations;
