import { newContext, type CommandHandler } from '@refledger/application';
import { DomainError, streams } from '@refledger/contracts';
import { logDecider } from '@refledger/domain';
import type { DataDirectory } from '@refledger/engines';
import { readBackupPoint, removeBackupMarker } from './backup-marker.js';

/**
 * Records in the log of a restored backup that it has taken the original's place, and then removes
 * the directory's marker, so that its service may send. A crash in between leaves a directory that
 * sends nothing, and the command can be repeated. Resolves to whether the event is new. Throws
 * `DomainError` if the directory has no marker, and `BackupUnusable` for a bad one.
 */
export const takeOriginalsPlace = async (
  commands: CommandHandler,
  directory: Pick<DataDirectory, 'backup' | 'path'>,
): Promise<boolean> => {
  const backup = readBackupPoint(directory);
  if (backup === undefined)
    throw new DomainError(
      'validation_failed',
      `${directory.path} has no backup marker: it is not a backup that ops backup made, or already sends. There is nothing to do.`,
    );
  const { events } = await commands.run({
    stream: streams.log,
    decider: logDecider,
    command: { type: 'restore', backup },
    context: newContext({ accountId: null, actor: 'operator', requestId: 'ops restored' }),
  });
  await removeBackupMarker(directory);
  return events.length > 0;
};
