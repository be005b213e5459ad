import { z } from 'zod';
import { daySchema } from '../time.js';
import { commissionSchema } from '../shared/commission.js';

/** The commission of a sale if it were recorded now. */
export const quoteSchema = z
  .strictObject({
    commission_amount: z
      .int()
      .min(0)
      .describe('The commission that the sale would earn, in minor units of its currency.'),
    commission: commissionSchema.describe('Why it would earn this.'),
    payable_on: daySchema.describe('The day (UTC) from which the commission would be payable.'),
  })
  .meta({ id: 'Quote' });
export type Quote = z.infer<typeof quoteSchema>;
