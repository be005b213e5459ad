// Runs a projector in a separate process, to be killed and suspended: node projector.child.mjs
// DATA_DIR READ_STORE_URL. Prints each state that it reaches.
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { openReadStore } from '@refledger/read-store';
import { Projector, projections } from '@refledger/projections';

const [, , dataDir, readStoreUrl] = process.argv;
const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'read' });
const store = await openReadStore(readStoreUrl, { dataDir, mode: 'write' });
const logger = {
  info: () => undefined,
  warn: (_, message) => console.error(message),
  error: (_, message) => console.error(message),
};
const report = ({ state, standingBy, building }) =>
  console.log(standingBy ? 'stands by' : `${state}${building === undefined ? '' : ' building'}`);
console.log('begins');
const never = new globalThis.AbortController().signal;
await new Projector({ log, store, projections, logger, leaseMs: 8_000, onStatus: report }).run(
  (batch) => batch.apply(),
  never,
);
