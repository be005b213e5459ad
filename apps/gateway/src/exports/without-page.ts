import { validationError } from '@refledger/contracts';

/** Throws `validation_failed` for the parameters of a page: CSV always contains all lines. */
export const requireNoPage = (query: {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}): void => {
  const sent = (['limit', 'cursor'] as const).filter((path) => query[path] !== undefined);
  if (sent.length === 0) return;
  throw validationError(
    sent.map((path) => ({
      path,
      code: 'with_csv',
      message: `${path} selects a page, but CSV always contains all lines. Omit it.`,
    })),
  );
};
