// A projector in a process of its own, to be killed: node projector.child.mjs LOG STORE. Says each state that it comes to.
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { Projection, views } from '@refledger/views';

const [, , logFile, storeFile] = process.argv;
const log = await openSqliteEventLog({ file: logFile, mode: 'read' });
const store = await openSqliteReadStore({ file: storeFile, mode: 'write' });
const logger = { info: () => undefined, warn: (_, message) => console.error(message), error: (_, message) => console.error(message) };
const say = ({ state, building }) => console.log(`${state}${building === undefined ? '' : ' building'}`);
console.log('begins');
const never = new globalThis.AbortController().signal;
await new Projection({ log, store, views, logger, onStatus: say }).run((batch) => batch.take(), never);
