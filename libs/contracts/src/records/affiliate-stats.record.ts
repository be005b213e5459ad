import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';

const byStatus = <T extends z.ZodType>(figure: T) => ({
  total: figure,
  pending: figure,
  approved: figure,
  rejected: figure,
  refunded: figure,
});

const countsSchema = z.strictObject(byStatus(z.int().min(0))).meta({ id: 'ConversionCounts' });

/** A sum in the minor unit of its currency. It is a JSON integer of any size, hence a bigint. */
const sumSchema = z.bigint();

/** The statistics of one affiliate as the API shows them. */
export const affiliateStatsSchema = z
  .strictObject({
    object: z.literal('affiliate_stats'),
    affiliate_id: idSchema('affiliate'),
    conversions: countsSchema,
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        conversions: countsSchema,
        sale_amount: z.strictObject(byStatus(sumSchema)),
        commission_amount: z.strictObject({
          ...byStatus(sumSchema),
          paid: sumSchema.describe(
            'What the approved conversions that a completed payout has paid (`payout_id`) earn now. It falls when such a conversion is refunded later. The money that was sent is `paid` of the balance.',
          ),
          unpaid: sumSchema.describe('`approved` without `paid`.'),
        }),
      }),
    ),
    first_conversion_at: instantSchema.nullable(),
    last_conversion_at: instantSchema.nullable(),
    position: z.string().describe('The position in the log that these figures reflect.'),
  })
  .meta({ id: 'AffiliateStats' });
export type AffiliateStatsRecord = z.infer<typeof affiliateStatsSchema>;
