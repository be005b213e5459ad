/**
 * Settles like the work, or rejects with the signal's reason once it aborts, because kafkajs
 * retries can't be canceled. The work then continues, and its result is ignored.
 */
export const raceAbort = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  let abort = (): void => undefined;
  const aborted = new Promise<never>(
    (_resolve, reject) => (abort = () => reject(signal.reason as Error)),
  );
  work.catch(() => undefined);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
