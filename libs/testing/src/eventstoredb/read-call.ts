import { once } from 'node:events';
import type { handleServerStreamingCall, ServerWritableStream } from '@grpc/grpc-js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import { deletedRevision } from './append-check.js';
import type { Double } from './double.js';
import { ReadReq, ReadResp, StreamIdentifier, UUID } from './protocol.js';
import { connectionLost, consumerTooSlow, invalidPosition, streamDeleted } from './rpc-errors.js';
import type { StoredRecord } from './sqlite/double-store.js';

type ReadCall = ServerWritableStream<messages.ReadReq, messages.ReadResp>;
type Options = messages.ReadReq.Options;

const pageSize = 100;

/** Reads streams and `$all`, both ways, and follows `$all`. Waits for whoever reads slowly. */
export const readCall =
  (double: Double): handleServerStreamingCall<messages.ReadReq, messages.ReadResp> =>
  (call) => {
    const refused = double.refusal(call.metadata);
    const options = call.request.getOptions();
    if (refused !== undefined || options === undefined)
      return void call.emit('error', refused ?? new Error('no options'));
    const reading = options.hasStream()
      ? readStream(double, call, options)
      : options.hasSubscription()
        ? followAll(double, call, options)
        : readAll(double, call, options);
    reading.then(
      () => call.end(),
      (error: unknown) => call.emit('error', error),
    );
  };

const readStream = async ({ store }: Double, call: ReadCall, options: Options): Promise<void> => {
  const name = Buffer.from(
    options.getStream()?.getStreamIdentifier()?.getStreamName_asU8() ?? [],
  ).toString();
  const { last, first, isDeleted } = store.state(name);
  if (last === deletedRevision) throw streamDeleted(name);
  if (last < 0 || isDeleted) {
    await send(
      call,
      new ReadResp().setStreamNotFound(
        new ReadResp.StreamNotFound().setStreamIdentifier(
          new StreamIdentifier().setStreamName(Buffer.from(name)),
        ),
      ),
    );
    return;
  }
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  const asked =
    options.getStream()?.hasRevision() === true
      ? Number(options.getStream()?.getRevision())
      : options.getStream()?.hasEnd() === true
        ? last
        : 0;
  let from = backwards ? Math.min(asked, last) : Math.max(asked, first);
  for (let left = countOf(options); left > 0 && !call.cancelled;) {
    const page = store
      .readStream(name, from, backwards, Math.min(pageSize, left))
      .filter(({ revision }) => revision >= first);
    for (const record of page) await send(call, eventOf(record));
    const end = page.at(-1);
    if (end === undefined || page.length < Math.min(pageSize, left)) return;
    left -= page.length;
    from = end.revision + (backwards ? -1 : 1);
  }
};

const readAll = async ({ store }: Double, call: ReadCall, options: Options): Promise<void> => {
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
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

const followAll = async (
  { store, groups, liveBuffer }: Double,
  call: ReadCall,
  options: Options,
): Promise<void> => {
  let after = startOf(options, -1);
  if (options.getAll()?.hasEnd() === true) after = store.head() ?? 0;
  if (after > 0 && !store.isPosition(after)) throw invalidPosition();
  const matches = filterOf(options);
  const interval = 32 * Math.max(1, options.getFilter()?.getCheckpointintervalmultiplier() ?? 1);
  await send(
    call,
    new ReadResp().setConfirmation(
      new ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID()),
    ),
  );

  const ended = new AbortController();
  const endLate = (): void => ended.abort(connectionLost());
  groups.on('leaderless', endLate);
  call.once('cancelled', () => ended.abort());
  call.once('close', () => ended.abort());
  let committed = 0;
  let waits = false;
  const noteCommit = (count: number): void => {
    committed += count;
    // live, and still not taking what was sent before
    if (live && waits && committed > liveBuffer) ended.abort(consumerTooSlow());
  };
  groups.on('committed', noteCommit);
  let live = false;
  let considered = 0;
  try {
    while (!ended.signal.aborted) {
      const page = store.readAll(after + 1, false, pageSize);
      for (const record of page) {
        after = record.position;
        considered += 1;
        waits = true;
        if (matches(record)) await send(call, eventOf(record), ended.signal);
        else if (considered % interval === 0)
          await send(
            call,
            new ReadResp().setCheckpoint(
              new ReadResp.Checkpoint()
                .setCommitPosition(String(after))
                .setPreparePosition(String(after)),
            ),
            ended.signal,
          );
        waits = false;
        if (ended.signal.aborted) break;
      }
      if (page.length > 0) continue;
      if (!live)
        await send(call, new ReadResp().setCaughtUp(new ReadResp.CaughtUp()), ended.signal);
      live = true;
      committed = 0;
      if (store.head() === undefined || (store.head() ?? 0) <= after)
        await once(groups, 'committed', { signal: ended.signal }).catch(() => undefined);
    }
  } finally {
    groups.off('committed', noteCommit);
    groups.off('leaderless', endLate);
  }
  if (ended.signal.reason instanceof Error && ended.signal.reason.name === 'Error')
    throw ended.signal.reason;
};

const startOf = (options: Options, fallback: number): number => {
  const position = options.getAll()?.getPosition();
  return position === undefined ? fallback : Number(position.getCommitPosition());
};

const countOf = (options: Options): number =>
  options.hasCount() ? Number(options.getCount()) : Infinity;

const filterOf = (options: Options): ((record: StoredRecord) => boolean) => {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
  if (filter === undefined || expression === undefined) return () => true;
  const subject = (record: StoredRecord): string =>
    filter.hasStreamIdentifier() ? record.stream : record.type;
  const [prefixes, regex] = [expression.getPrefixList(), expression.getRegex()];
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return (record) => pattern.test(subject(record));
  }
  return (record) => prefixes.some((prefix) => subject(record).startsWith(prefix));
};

const eventOf = (record: StoredRecord): messages.ReadResp => {
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(record.id))
    .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(record.stream)))
    .setStreamRevision(
      record.revision === deletedRevision ? '9223372036854775807' : String(record.revision),
    )
    .setCommitPosition(String(record.position))
    .setPreparePosition(String(record.position))
    .setData(record.data)
    .setCustomMetadata(record.metadata);
  recorded
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', `${record.created}0000`);
  return new ReadResp().setEvent(
    new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(record.position)),
  );
};

/** Resolves when there is room for more, or the call is over. */
const send = async (
  call: ReadCall,
  message: messages.ReadResp,
  signal?: AbortSignal,
): Promise<void> => {
  if (call.cancelled || signal?.aborted === true || call.write(message)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'cancelled', 'close', 'error'] as const) call.off(event, done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'close', 'error'] as const) call.once(event, done);
    signal?.addEventListener('abort', done);
  });
};
