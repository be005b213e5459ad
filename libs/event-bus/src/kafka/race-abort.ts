/** What work comes to, or the signal's reason as soon as it aborts: kafkajs can't be told to stop trying. The work goes on then, and nobody hears of it. */
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
