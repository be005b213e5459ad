import { hasMinorUnit, noMinorUnit, validationError } from '@refledger/contracts';

/**
 * Throws `validation_failed` for the currency of something new that has no minor unit, such as XAU
 * (gold). Records of earlier releases may have one: they are compared before this rule applies.
 */
export const requireMinorUnit = (field: 'currency' | 'sale_currency', code: string): void => {
  if (hasMinorUnit(code)) return;
  throw validationError({
    path: `/${field}`,
    code: noMinorUnit.code,
    message: `${field} ${noMinorUnit.predicate(code)}.`,
  });
};
