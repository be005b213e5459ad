import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import { countOf, objectOf, recordCurrencySchema, sumOf } from '../shared/record-fields.js';

const byStatus = <T extends z.ZodType>(figureOf: (what: string) => T, of: string) => ({
  total: figureOf(`${of}, whatever the status.`),
  pending: figureOf(`${of} while \`pending\`.`),
  approved: figureOf(`${of} while \`approved\`.`),
  rejected: figureOf(`${of} while \`rejected\`.`),
});

const countsSchema = z
  .strictObject({
    ...byStatus(countOf, 'Conversions'),
    refunded: countOf('Conversions that were refunded as a whole.'),
  })
  .meta({ id: 'ConversionCounts' });

/** The statistics of one affiliate as the API shows them. */
export const affiliateStatsSchema = z
  .strictObject({
    object: objectOf('affiliate_stats'),
    affiliate_id: idSchema('affiliate').describe('The affiliate whose conversions are counted.'),
    conversions: countsSchema.describe('How many conversions it has, in all currencies.'),
    currencies: z
      .array(
        z.strictObject({
          currency: recordCurrencySchema,
          conversions: countsSchema.describe('How many conversions it has in this currency.'),
          sale_amount: z
            .strictObject({
              ...byStatus(sumOf, 'Sales without their refunded part'),
              total: sumOf('All sales, with their refunded part.'),
              refunded: sumOf('Refunded amounts, partial or full.'),
            })
            .describe('The sums of the sales, by status.'),
          commission_amount: z
            .strictObject({
              ...byStatus(sumOf, 'Commissions of sales'),
              refunded: sumOf('The commissions of sales before they were refunded in full.'),
              paid: sumOf(
                'The commissions of approved conversions that a completed payout has paid (`payout_id`) earn now. It falls when such a conversion is refunded later. The money that was sent is `paid` of the balance.',
              ),
              unpaid: sumOf('`approved` without `paid`.'),
            })
            .describe('The sums of `commission_amount`, by status.'),
        }),
      )
      .describe('One row per currency with a conversion.'),
    first_conversion_at: instantSchema
      .nullable()
      .describe('The earliest `created_at` of a conversion; null before the first.'),
    last_conversion_at: instantSchema
      .nullable()
      .describe('The latest `created_at` of a conversion; null before the first.'),
    position: z.string().describe('The position in the log that these figures reflect.'),
  })
  .meta({ id: 'AffiliateStats' });
export type AffiliateStatsRecord = z.infer<typeof affiliateStatsSchema>;
