import type { Double } from '../double.js';
import { countOf, filterOf, isBackwards, startOf, type ReadOptions } from './read-options.js';
import { eventOf, pageSize, send, type ReadCall } from './read-response.js';
import { invalidPosition } from '../rpc-errors.js';

/** Sends the matching events of all streams. */
export const readAll = async (
  { store }: Double,
  call: ReadCall,
  options: ReadOptions,
): Promise<void> => {
  const backwards = isBackwards(options);
  let from = startOf(options, backwards ? Number.MAX_SAFE_INTEGER : 0);
  if (from !== Number.MAX_SAFE_INTEGER && !store.isPosition(from)) throw invalidPosition();
  const matches = filterOf(options);
  for (let left = countOf(options); left > 0 && !call.cancelled;) {
    const page = store.readAll(from, backwards, pageSize);
    for (const record of page.filter(matches)) if (left-- > 0) await send(call, eventOf(record));
    const end = page.at(-1);
    if (end === undefined) return;
    from = end.position + (backwards ? 0 : 1);
  }
};
