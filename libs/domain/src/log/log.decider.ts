import type { BackupPoint, LogEvent } from '@refledger/contracts';
import type { Decider } from '../decider.js';

/** A log's facts about itself. */
export interface LogState {
  /** The backup whose place in history this log took last; undefined if it was never restored. */
  readonly restored?: BackupPoint;
  /** The key store of this log; undefined until it is recorded. */
  readonly keyStoreId?: string;
}

export type LogCommand =
  | { readonly type: 'restore'; readonly backup: BackupPoint }
  | { readonly type: 'record_key_store'; readonly key_store_id: string };

/**
 * A restored backup takes the place of the log that it was copied from. A log has one key store for
 * good: recording another one has no effect.
 */
export const logDecider: Decider<LogCommand, LogState, LogEvent> = {
  initial: {},

  decide(command, { restored, keyStoreId }) {
    switch (command.type) {
      // a crash may have come between the event and the removal of the marker
      case 'restore':
        return restored !== undefined && isSameBackup(restored, command.backup)
          ? []
          : [{ type: 'log.restored', data: command.backup }];
      case 'record_key_store':
        return keyStoreId === undefined
          ? [{ type: 'log.key_store_recorded', data: { key_store_id: command.key_store_id } }]
          : [];
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'log.opened':
        return state;
      case 'log.restored':
        return { ...state, restored: event.data };
      case 'log.key_store_recorded':
        return { ...state, keyStoreId: event.data.key_store_id };
    }
  },
};

const isSameBackup = (one: BackupPoint, other: BackupPoint): boolean =>
  one.event_id === other.event_id && one.time === other.time;
