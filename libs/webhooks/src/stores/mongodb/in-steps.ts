/**
 * Documents per request that updates deliveries which others may update meanwhile. An update of
 * many conflicts with theirs again and again, and may take longer than the client waits: it would
 * be sent once more while the server is still working on the first.
 */
export const updatedAtOnce = 100;

/** Splits a list into pieces that one request updates. */
export const inSteps = function* <T>(all: readonly T[]): Generator<T[]> {
  for (let start = 0; start < all.length; start += updatedAtOnce)
    yield all.slice(start, start + updatedAtOnce);
};
