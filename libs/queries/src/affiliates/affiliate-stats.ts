import type { AffiliateId, AffiliateStatsRecord, Position } from '@refledger/contracts';
import { affiliateStatsProjection, statsFromDocument } from '@refledger/projections';
import type { RecordRead } from '../history/record-queries.js';
import { requireRecord } from '../own-record.js';
import type { ReadModels } from '../read-models.js';

/** The statistics of an affiliate. Throws `not_found` if the caller has no such affiliate. */
export const affiliateStats = async (
  readModels: Pick<ReadModels, 'get'>,
  { id, ...context }: RecordRead<AffiliateId>,
): Promise<{ readonly stats: AffiliateStatsRecord; readonly position: Position | undefined }> => {
  const { value, position } = await readModels.get(affiliateStatsProjection, id, context);
  const isOwn = value?.['account_id'] === context.caller.accountId && position !== undefined;
  const stats = isOwn ? statsFromDocument(value, position) : undefined;
  return { stats: requireRecord('affiliate', id, stats), position };
};
