import { comparePositions, type Position, type RecordedEvent } from '@refledger/contracts';
import { isOutOfLogTime, type OutOfLogTime } from '@refledger/domain';
import { messageOf } from '@refledger/event-log';
import type { ChangedDocument, ReadStore } from '@refledger/read-store';
import type { DocumentKey, Projection } from '../projection.js';
import { asRead, type BuildInMemory } from './build-in-memory.js';
import { Documents, ReadMarks, type FoldResult } from './documents.js';

/**
 * Folds events and returns the changed documents; nothing counts as folded into the build yet.
 * Documents that are not in memory are loaded, with one load per collection. With `loadsAll`, that
 * includes documents that the events create. Events at or before the position of the build or of
 * the document have no effect, and a projection that follows log time is not shown those that are
 * out of it. Throws `FoldFailure`, and what completing documents throws.
 */
export const foldBatch = async (
  build: BuildInMemory,
  events: readonly RecordedEvent[],
  store: ReadStore,
  { loadsAll, excluded }: FoldOptions,
): Promise<FoldResult> => {
  const { projection } = build.kept;
  const touches = touchesOf(
    projection,
    shownTo(projection, events, excluded),
    build.folded?.position,
  );
  if (touches.length === 0) return { changed: new Documents(), unchanged: new ReadMarks() };
  const before = await documentsBefore(build, touches, store, loadsAll);
  const result = fold(projection, touches, before);
  await complete(projection, result.changed);
  return result;
};

interface FoldOptions {
  readonly loadsAll: boolean;
  readonly excluded: OutOfLogTime;
}

/** A projection's code failed on an event. */
export class FoldFailure extends Error {
  constructor(
    readonly event: RecordedEvent,
    projection: string,
    cause: unknown,
  ) {
    super(`the projection ${projection} failed on it: ${messageOf(cause)}`, { cause });
    this.name = 'FoldFailure';
  }
}

/** An event and a document that it touches. */
interface Touch {
  readonly event: RecordedEvent;
  readonly key: DocumentKey;
}

const shownTo = (
  { followsLogTime }: Projection,
  events: readonly RecordedEvent[],
  excluded: OutOfLogTime,
): readonly RecordedEvent[] =>
  followsLogTime === true && excluded.ignoredTimes.length + excluded.skipped.size > 0
    ? events.filter((event) => !isOutOfLogTime(event, excluded))
    : events;

const touchesOf = (
  projection: Projection,
  events: readonly RecordedEvent[],
  after: Position | undefined,
): readonly Touch[] => {
  const touches: Touch[] = [];
  const final = new Set<DocumentKey>();
  for (const event of events) {
    if (after !== undefined && comparePositions(event.position, after) <= 0) continue;
    try {
      addTouches(touches, event, projection.keysOf(event), final);
    } catch (cause) {
      throw new FoldFailure(event, projection.name, cause);
    }
  }
  return touches;
};

/** A document that never changes is touched by the first event of the batch only. */
const addTouches = (
  touches: Touch[],
  event: RecordedEvent,
  keys: readonly DocumentKey[],
  final: Set<DocumentKey>,
): void => {
  for (const key of keys) {
    if (final.has(key)) continue;
    if (key.isFinal === true) final.add(key);
    touches.push({ event, key });
  }
};

/**
 * The touched documents before the events. Loads documents that the batch creates only with
 * `loadsAll`.
 */
const documentsBefore = async (
  build: BuildInMemory,
  touches: readonly Touch[],
  store: ReadStore,
  loadsAll: boolean,
): Promise<Documents<ChangedDocument>> => {
  const before = new Documents<ChangedDocument>();
  const seen = new Map<string, Set<string>>();
  const wanted = new Map<string, string[]>();
  for (const { key } of touches) {
    if (!isFirst(seen, key)) continue;
    const known = build.get(key);
    if (known !== undefined) before.set(key.collection, known);
    else if (loadsAll || key.begins !== true) idsOf(wanted, key.collection).push(key.id);
  }
  for (const [collection, ids] of wanted) {
    const loaded = await store.load(build.kept.build, collection, ids);
    for (const stored of loaded) before.set(collection, asRead(stored));
    build.keep(collection, loaded);
  }
  return before;
};

const idsOf = (wanted: Map<string, string[]>, collection: string): string[] => {
  const ids = wanted.get(collection) ?? [];
  wanted.set(collection, ids);
  return ids;
};

const isFirst = (seen: Map<string, Set<string>>, { collection, id }: DocumentKey): boolean => {
  const ids = seen.get(collection);
  if (ids === undefined) seen.set(collection, new Set([id]));
  else if (ids.has(id)) return false;
  else ids.add(id);
  return true;
};

const fold = (
  projection: Projection,
  touches: readonly Touch[],
  before: Documents<ChangedDocument>,
): FoldResult => {
  const changed = new Documents<ChangedDocument>();
  const unchanged = new ReadMarks();
  for (const { event, key } of touches) {
    const last = changed.get(key) ?? before.get(key);
    if (hasNoEffect(event, key, last)) continue;
    const document = evolve(projection, last, event, key);
    if (document !== undefined)
      changed.set(key.collection, {
        id: key.id,
        readPosition: last?.readPosition,
        position: event.position,
        document,
      });
    // An unsaved change needs no mark: its own save detects a stale document.
    else if (last?.position === last?.readPosition)
      unchanged.set(key.collection, key.id, last?.position);
  }
  return { changed, unchanged };
};

const complete = async (
  projection: Projection,
  changed: Documents<ChangedDocument>,
): Promise<void> => {
  if (projection.complete === undefined) return;
  for (const [collection, documents] of changed.collections) {
    const present = [...documents.values()].flatMap(({ document, ...stored }) =>
      document === null ? [] : [{ document, stored }],
    );
    if (present.length === 0) continue;
    const completed = await projection.complete(present.map(({ document }) => document));
    for (const [n, { stored }] of present.entries())
      changed.set(collection, { ...stored, document: completed[n] ?? null });
  }
};

/** Whether the document already reflects the event, is a tombstone, or never changes. */
const hasNoEffect = (
  { position }: RecordedEvent,
  { isFinal }: DocumentKey,
  last: ChangedDocument | undefined,
): boolean =>
  last !== undefined &&
  (isFinal === true || last.document === null || comparePositions(position, last.position) <= 0);

/** The document after the event; undefined if the event leaves it unchanged. */
const evolve = (
  projection: Projection,
  last: ChangedDocument | undefined,
  event: RecordedEvent,
  key: DocumentKey,
): ReturnType<Projection['evolve']> => {
  try {
    return projection.evolve(last?.document ?? undefined, event, key);
  } catch (cause) {
    throw new FoldFailure(event, projection.name, cause);
  }
};
