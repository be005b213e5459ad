import type { BackupPoint, LogEvent } from '@refledger/contracts';
import type { Decider } from '../decider.js';

/** A log's facts about itself. */
export interface LogState {
  /** The backup whose place in history this log took last; undefined if it was never restored. */
  readonly restored?: BackupPoint;
}

export interface LogCommand {
  readonly type: 'restore';
  readonly backup: BackupPoint;
}

/** A restored backup takes the place of the log that it was copied from. */
export const logDecider: Decider<LogCommand, LogState, LogEvent> = {
  initial: {},

  // a crash may have come between the event and the removal of the marker
  decide: ({ backup }, { restored }) =>
    restored !== undefined && isSameBackup(restored, backup)
      ? []
      : [{ type: 'log.restored', data: backup }],

  evolve(state, event) {
    switch (event.type) {
      case 'log.opened':
        return state;
      case 'log.restored':
        return { restored: event.data };
    }
  },
};

const isSameBackup = (one: BackupPoint, other: BackupPoint): boolean =>
  one.event_id === other.event_id && one.time === other.time;
