export {
  isBackup,
  readBackupMarker,
  readBackupPoint,
  whyBackupSendsNothing,
  writeBackupMarker,
} from './backup-marker.js';
export {
  readMigrationMarker,
  refuseMoved,
  removeMigrationMarker,
  writeMigrationMarker,
} from './migration-marker.js';
export type { MigrationMarker } from './migration-marker.js';
export { carryOutErasure, type ErasureCommand } from './erasure-command.js';
export { carryOut, type OperatorCommand, type ProcessorDecision } from './operator-command.js';
export { takeOriginalsPlace } from './take-place.js';
export { sendToService, operatorSocketPath, serveOperator } from './operator-socket.js';
