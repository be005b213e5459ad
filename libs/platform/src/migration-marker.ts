import { existsSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import type { DataFolder } from './data-folder.js';
import { syncFolder } from './sync-folder.js';

const moveSchema = z.object({
  /** `moving` from the first event that is copied until all was compared; `moved` from then on. */
  state: z.enum(['moving', 'moved']),
  /** Hosts, never with a user or a password. */
  event_log: z.string(),
  read_store: z.string(),
  /** The id of the log that it goes to. */
  log_id: z.string(),
  since: z.string(),
});

/** Where a data folder goes, or has gone, by `ops copy`: `moved.json` in it. */
export type MigrationMarker = z.infer<typeof moveSchema>;

/** Nothing may be written in this folder any more, or until its move is taken back. */
export class FolderMoved extends Error {
  override readonly name = 'FolderMoved';
}

/** Throws `FolderMoved` for a mark that can't be read, since what it forbade is not known. */
export const readMigrationMarker = ({
  moved,
  path,
}: Pick<DataFolder, 'moved' | 'path'>): MigrationMarker | undefined => {
  if (!existsSync(moved)) return undefined;
  try {
    return moveSchema.parse(JSON.parse(readFileSync(moved, 'utf8')));
  } catch {
    throw new FolderMoved(
      `${moved} says that ${path} was moved, but not where to: ask who did it, and remove that file only when no other service goes on with this data`,
    );
  }
};

/** Whole and durable, or as it was. The folder's lock is held. */
export const writeMigrationMarker = async (
  { moved, path }: Pick<DataFolder, 'moved' | 'path'>,
  move: MigrationMarker,
): Promise<void> => {
  const draft = `${moved}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(move, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, moved);
  await syncFolder(path);
};

/** The folder is as before its move. */
export const removeMigrationMarker = async ({
  moved,
  path,
}: Pick<DataFolder, 'moved' | 'path'>): Promise<void> => {
  await rm(moved);
  await syncFolder(path);
};

/** Throws `FolderMoved` when the folder's service may not run or be written for. */
export const refuseMoved = (folder: Pick<DataFolder, 'moved' | 'path'>): void => {
  const move = readMigrationMarker(folder);
  if (move === undefined) return;
  const { state, event_log, read_store, since } = move;
  const where = `EventStoreDB at ${event_log} and MongoDB at ${read_store}`;
  switch (state) {
    case 'moving':
      throw new FolderMoved(
        `${folder.path} is being copied to ${where} since ${since}: finish it by the same ops copy again, or take it back by ops copy --from ${folder.path} --cancel`,
      );
    case 'moved':
      throw new FolderMoved(
        `${folder.path} was moved to ${where} at ${since}: the services there go on with its data, and nothing may be written here any more`,
      );
  }
};
