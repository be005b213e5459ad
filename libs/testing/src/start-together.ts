/** Something that a test has started and must end. */
export type Stoppable = { stop(): Promise<unknown> } | { close(): Promise<unknown> };

/**
 * Waits until all have started. If one fails to start, it ends the others and throws that error.
 */
export const startTogether = async <T extends readonly Stoppable[]>(
  ...starting: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> => {
  const outcomes = await Promise.allSettled<Stoppable>(starting);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure === undefined) return Promise.all(starting) as Promise<unknown> as Promise<T>;
  const started = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  await Promise.all(started.map((one) => ('stop' in one ? one.stop() : one.close())));
  throw failure.reason;
};
