export {
  readMigrationMarker,
  refuseMoved,
  removeMigrationMarker,
  writeMigrationMarker,
} from './migration-marker.js';
export type { MigrationMarker } from './migration-marker.js';
export { carryOut, type OperatorCommand } from './operator-command.js';
export { sendToService, operatorSocketPath, serveOperator } from './operator-socket.js';
