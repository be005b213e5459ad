import { streamOf } from '../appending/append-request.js';
import { deletedRevision, type StreamState } from '../appending/append-check.js';
import type { Double } from '../double.js';
import { countOf, isBackwards, type ReadOptions } from './read-options.js';
import { eventOf, pageSize, send, streamNotFound, type ReadCall } from './read-response.js';
import { streamDeleted } from '../rpc-errors.js';

/** Sends the events of a stream, or a message that the stream does not exist. */
export const readStream = async (
  { store }: Double,
  call: ReadCall,
  options: ReadOptions,
): Promise<void> => {
  const name = streamOf(options.getStream()?.getStreamIdentifier());
  const state = store.state(name);
  if (state.last === deletedRevision) throw streamDeleted(name);
  if (isAbsent(state)) return send(call, streamNotFound(name));
  const backwards = isBackwards(options);
  let from = startOf(options, state);
  for (let left = countOf(options); left > 0 && !call.cancelled;) {
    const page = store
      .readStream(name, from, backwards, Math.min(pageSize, left))
      .filter(({ revision }) => revision >= state.first);
    for (const record of page) await send(call, eventOf(record));
    const end = page.at(-1);
    if (end === undefined || page.length < Math.min(pageSize, left)) return;
    left -= page.length;
    from = end.revision + (backwards ? -1 : 1);
  }
};

/** Whether the stream was never written to, or was soft-deleted and not written to since. */
const isAbsent = ({ last, isDeleted }: StreamState): boolean => last < 0 || isDeleted;

/** Returns the revision to start at: the requested one, or the nearest that is left. */
const startOf = (options: ReadOptions, { last, first }: StreamState): number => {
  const asked = askedRevision(options, last);
  return isBackwards(options) ? Math.min(asked, last) : Math.max(asked, first);
};

const askedRevision = (options: ReadOptions, last: number): number => {
  const stream = options.getStream();
  if (stream?.hasRevision() === true) return Number(stream.getRevision());
  return stream?.hasEnd() === true ? last : 0;
};
