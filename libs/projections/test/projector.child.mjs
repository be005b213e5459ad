// Runs a projector in a separate process, to be killed and suspended: node projector.child.mjs LOG
// STORE. Prints each state that it reaches.
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { openMongodbReadStore } from '@refledger/read-store/mongodb';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { Projector, projections } from '@refledger/projections';

const [, , logFile, place] = process.argv;
const log = await openSqliteEventLog({ file: logFile, mode: 'read' });
const store = await (place.startsWith('mongodb:')
  ? openMongodbReadStore({ url: place, mode: 'write' })
  : openSqliteReadStore({ file: place, mode: 'write' }));
const logger = {
  info: () => undefined,
  warn: (_, message) => console.error(message),
  error: (_, message) => console.error(message),
};
const report = ({ state, standingBy, building }) =>
  console.log(standingBy ? 'stands by' : `${state}${building === undefined ? '' : ' building'}`);
console.log('begins');
const never = new globalThis.AbortController().signal;
await new Projector({ log, store, projections, logger, leaseMs: 1_500, onStatus: report }).run(
  (batch) => batch.take(),
  never,
);
