import type { PostedThrough } from '@refledger/application';
import { toPosition, type LogId, type Position } from '@refledger/contracts';
import { postingName } from '@refledger/domain';
import type { Document, ProjectionSpec, ReadStore } from '@refledger/read-store';
import {
  progressCollection,
  type ProgressForm,
  type StoredProgress,
} from '../processor/checkpoints.js';

/** The progress that posting stores with its checkpoint. */
export interface PostingProgress extends StoredProgress {
  /** Log time at the checkpoint; null before the first event of an account. */
  readonly logTime: string | null;
  /** The revision of the last decision that log time takes into account; -1 for none. */
  readonly decidedRevision: number;
  /** The highest position of an event of a balance that posting appended or met. */
  readonly postedPosition: Position | undefined;
}

export const postingProjection: ProjectionSpec = {
  name: postingName,
  version: 1,
  collections: [progressCollection],
};

/** How posting's progress is stored. */
export const postingProgress: ProgressForm<PostingProgress> = {
  spec: postingProjection,
  initial: {
    checkpoint: undefined,
    resumedRevision: -1,
    logTime: null,
    decidedRevision: -1,
    postedPosition: undefined,
  },
  encode: ({ logTime, decidedRevision, postedPosition }) => ({
    log_time: logTime,
    decided_revision: decidedRevision,
    posted_position: postedPosition ?? null,
  }),
  decode: (document, shared) => ({ ...shared, ...postedOf(document as PostingDocument) }),
};

/** Reads how far posting has got. Throws `ReadModelUnreadable` before its first start. */
export const readPostedThrough = async (
  store: Pick<ReadStore, 'get'>,
  logId: LogId,
): Promise<PostedThrough> => {
  const { name } = progressCollection;
  const { value, position } = await store.get(postingProjection, logId, name, postingName);
  const { postedPosition, logTime, decidedRevision } =
    value === undefined ? postingProgress.initial : postedOf(value as PostingDocument);
  return { position, postedPosition, logTime, decidedRevision };
};

interface PostingDocument extends Document {
  readonly log_time: string | null;
  readonly decided_revision: number;
  readonly posted_position: string | null;
}

const postedOf = ({ log_time, decided_revision, posted_position }: PostingDocument) => ({
  logTime: log_time,
  decidedRevision: decided_revision,
  postedPosition: toPosition(posted_position ?? ''),
});
