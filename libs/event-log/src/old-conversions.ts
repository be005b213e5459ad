import { isObject, noCommission } from '@refledger/contracts';

/**
 * Completes the data of a conversion's event of schema 1. Nothing was earned yet, and a sale was
 * refunded as a whole or not at all.
 */
export const withCommission = (data: unknown): unknown =>
  isObject(data)
    ? {
        ...data,
        ...('before' in data && { before: completed(data['before']) }),
        ...('after' in data && { after: completed(data['after']) }),
      }
    : data;

const completed = (fields: unknown): unknown =>
  isObject(fields)
    ? {
        ...fields,
        refunded_amount: fields['status'] === 'refunded' ? fields['sale_amount'] : 0,
        commission: noCommission,
      }
    : fields;
