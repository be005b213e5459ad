import { lstatSync, readFileSync } from 'node:fs';
import { backupPointSchema, type BackupPoint } from '@refledger/contracts';
import type { DataDirectory } from '@refledger/engines';
import { removeDurably, writeDurably } from '@refledger/sqlite';
import { z } from 'zod';

/**
 * The file `backup.json` marks a data directory as a backup: a service on it sends nothing until
 * the backup has taken the original's place.
 */
type MarkedDirectory = Pick<DataDirectory, 'backup' | 'path'>;

const markerSchema = backupPointSchema.or(
  z.strictObject({ position: z.null(), event_id: z.null(), time: backupPointSchema.shape.time }),
);

/** A backup, or one that was started at a time but not completed. */
export type BackupMarker = z.infer<typeof markerSchema>;

/** Thrown when a directory's marker does not name a complete backup. */
export class BackupUnusable extends Error {
  override readonly name = 'BackupUnusable';
}

/** Whether the directory has a marker, even one that cannot be read. */
export const isBackup = ({ backup }: MarkedDirectory): boolean =>
  lstatSync(backup, { throwIfNoEntry: false }) !== undefined;

/** Reads the marker; undefined when there is none. Throws `BackupUnusable` if it is no marker. */
export const readBackupMarker = (directory: MarkedDirectory): BackupMarker | undefined => {
  if (!isBackup(directory)) return undefined;
  try {
    return markerSchema.parse(JSON.parse(readFileSync(directory.backup, 'utf8')));
  } catch {
    throw new BackupUnusable(
      `${directory.backup} marks ${directory.path} as a backup, but does not name it. Copy the file from the backup again.`,
    );
  }
};

/** Like `readBackupMarker`, but also throws for a backup that was not completed. */
export const readBackupPoint = (directory: MarkedDirectory): BackupPoint | undefined => {
  const marker = readBackupMarker(directory);
  if (marker?.position !== null) return marker;
  throw new BackupUnusable(
    `${directory.path} is a backup that ops backup started at ${marker.time} and did not complete. Use another backup.`,
  );
};

export const writeBackupMarker = (
  { backup }: MarkedDirectory,
  marker: BackupMarker,
): Promise<void> => writeDurably(backup, `${JSON.stringify(marker, undefined, 2)}\n`);

export const removeBackupMarker = ({ backup }: MarkedDirectory): Promise<void> =>
  removeDurably(backup);

/** Why a service on this directory sends nothing; undefined if the directory is no backup. */
export const whyBackupSendsNothing = (directory: MarkedDirectory): string | undefined => {
  if (!isBackup(directory)) return undefined;
  return `this data directory is a backup${madeAt(directory)}. If it has taken the original's place, run ops restored`;
};

const madeAt = (directory: MarkedDirectory): string => {
  try {
    const { time, position } = readBackupMarker(directory) ?? {};
    if (time === undefined) return '';
    return position === null ? ` started at ${time}, but incomplete` : ` made at ${time}`;
  } catch {
    return ', although backup.json in it cannot be read';
  }
};
