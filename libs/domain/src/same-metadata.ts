import type { Metadata } from '@refledger/contracts';

/** Whether two lists of pairs say the same, in whatever order. */
export const sameMetadata = (a: Metadata, b: Metadata): boolean => {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
};
