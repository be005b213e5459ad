// A consumer of the bus in a separate process, for tests that kill or suspend it. The parent
// process stores its offsets and received records, as a store would.
import { setTimeout as sleep } from 'node:timers/promises';
import { keepConsuming } from '@refledger/event-bus';
import { openKafkaBus } from '@refledger/event-bus/kafka';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';

const { file, brokers, prefix, session } = JSON.parse(process.argv[2]);
let asked = 0;
const answers = new Map();
process.on('message', ({ answer, value }) => {
  answers.get(answer)?.(value);
  answers.delete(answer);
});
const ask = (question) =>
  new Promise((resolve) => {
    answers.set(++asked, resolve);
    process.send({ ask: asked, ...question });
  });

const lines = (level) => (details, message) =>
  process.env.BUS_LOGS && console.error(level, message, details.error ?? '');
const logger = {
  debug: process.env.BUS_LOGS === 'debug' ? lines('debug') : () => undefined,
  info: lines('info'),
  warn: lines('warn'),
  error: lines('error'),
};
const log = await openSqliteEventLog({ file, mode: 'read' });
const bus = openKafkaBus({ brokers, prefix, session, group: 'suite', log, logger });
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
process.on('disconnect', () => process.exit(1));
const consumer = {
  admitted: () => Promise.resolve(),
  offsetOf: (partition) => ask({ offsetOf: partition }),
  onAssigned: (partition) => process.send({ assigned: partition }),
  async onError(error, signal) {
    process.send({ met: `${error.name}: ${error.message}` });
    await sleep(200, undefined, { signal }).catch(() => undefined);
  },
};
const handle = ({ records, offset }) =>
  ask({
    plan: {
      ids: records.map(({ eventId }) => eventId),
      keys: records.map(({ key }) => key),
      positions: records.map(({ position }) => position),
      offset,
    },
  });
await keepConsuming({ bus, consumer, handle, signal: stop.signal });
await bus.close();
await log.close();
process.exit(0);
