import { existsSync, readFileSync } from 'node:fs';
import { removeDurably, writeDurably } from '@refledger/sqlite';
import { z } from 'zod';
import type { DataDirectory } from '@refledger/engines';

const moveSchema = z.object({
  /** `moving` from the first copied event until everything is compared; `moved` after that. */
  state: z.enum(['moving', 'moved']),
  /** Hosts, never with a user or a password. The same holds for `read_store`. */
  event_log: z.string(),
  read_store: z.string(),
  /** The id of the log that the directory is copied to. */
  log_id: z.string(),
  since: z.string(),
});

/**
 * The destination of `ops copy` from a data directory, kept in that directory's file `moved.json`.
 */
export type MigrationMarker = z.infer<typeof moveSchema>;

/**
 * Thrown when nothing may be written to a directory: permanently once it has moved, or until its
 * move is canceled.
 */
export class DirectoryMoved extends Error {
  override readonly name = 'DirectoryMoved';
}

/**
 * Reads the marker; undefined when there is none. Throws `DirectoryMoved` for a marker that cannot
 * be read, since what it forbade is unknown.
 */
export const readMigrationMarker = ({
  moved,
  path,
}: Pick<DataDirectory, 'moved' | 'path'>): MigrationMarker | undefined => {
  if (!existsSync(moved)) return undefined;
  try {
    return moveSchema.parse(JSON.parse(readFileSync(moved, 'utf8')));
  } catch {
    throw new DirectoryMoved(
      `${moved} marks ${path} as moved, but does not name the target. Remove that file only if no other service uses this data.`,
    );
  }
};

/** Writes the marker durably. The caller holds the directory's lock. */
export const writeMigrationMarker = (
  { moved }: Pick<DataDirectory, 'moved'>,
  move: MigrationMarker,
): Promise<void> => writeDurably(moved, `${JSON.stringify(move, undefined, 2)}\n`);

/** Removes the marker durably, which cancels the move. */
export const removeMigrationMarker = ({ moved }: Pick<DataDirectory, 'moved'>): Promise<void> =>
  removeDurably(moved);

/**
 * Throws `DirectoryMoved` when the directory has a marker: no service may run on it and nothing may
 * write to it.
 */
export const refuseMoved = (directory: Pick<DataDirectory, 'moved' | 'path'>): void => {
  const move = readMigrationMarker(directory);
  if (move === undefined) return;
  const { state, event_log, read_store, since } = move;
  const where = `EventStoreDB at ${event_log} and MongoDB at ${read_store}`;
  switch (state) {
    case 'moving':
      throw new DirectoryMoved(
        `${directory.path} is being copied to ${where}; the copy started at ${since}. Run the same ops copy again to finish it, or cancel it with ops copy --from ${directory.path} --cancel.`,
      );
    case 'moved':
      throw new DirectoryMoved(
        `${directory.path} was moved to ${where} at ${since}. Run the services there; this directory accepts no more writes.`,
      );
  }
};
