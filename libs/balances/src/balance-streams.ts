import { streams, type BalanceId, type StreamName } from '@refledger/contracts';
import { chapterLength } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';

/** Returns the stream of one chapter of a balance. */
export const chapterStream = (balance: BalanceId, chapter: number): StreamName =>
  streams.balance(balance, String(chapter));

/**
 * Returns the first chapter that is not full; it may not exist yet. No index is needed: it looks
 * for the last events of chapters 0, 1, 3, 7 and so on, and then bisects.
 */
export const currentChapter = async (
  log: Pick<EventLog, 'readStream'>,
  balance: BalanceId,
  length: number = chapterLength,
): Promise<number> => {
  const isFull = async (chapter: number): Promise<boolean> => {
    const last = { from: length - 1, to: length - 1 };
    for await (const events of log.readStream(chapterStream(balance, chapter), last))
      if (events.length > 0) return true;
    return false;
  };
  let [low, high] = [0, 0];
  while (await isFull(high)) [low, high] = [high + 1, 2 * high + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isFull(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};
