import type { Metadata } from '@refledger/contracts';

/** Whether two metadata objects hold the same pairs, in any order. */
export const sameMetadata = (a: Metadata, b: Metadata): boolean => {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
};
