// A relay in a separate process, for tests that kill or suspend it. It reads the log's file itself;
// the parent process, which holds the log, appends for it.
import { setInterval } from 'node:timers';
import { plainPersonalData } from '@refledger/domain/testing';
import { Relay } from '@refledger/event-bus';
import { openKafkaPublication } from '@refledger/event-bus/kafka';
import { EventLogError } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { Kafka } from 'kafkajs';

const { file, brokers, prefix, partitions, session, holdCommit } = JSON.parse(process.argv[2]);
const report = (message) => process.send?.(message);

/**
 * Waits for `go` right before the `holdCommit`-th commit that publishes records, after everything
 * was sent.
 */
const holdBefore = async (topicMessages) => {
  if (
    holdCommit === undefined ||
    !topicMessages.some(({ topic }) => !topic.endsWith('.relay-checkpoints')) ||
    ++commits !== holdCommit
  )
    return;
  const go = new Promise((resolve) => process.on('message', ({ go: going }) => going && resolve()));
  report({ inside: true });
  await go;
};
let commits = 0;
const { producer: newProducer } = Kafka.prototype;
Kafka.prototype.producer = function (...options) {
  const producer = newProducer.apply(this, options);
  return {
    ...producer,
    async transaction() {
      const transaction = await producer.transaction();
      let sent = [];
      return {
        ...transaction,
        sendBatch(batch) {
          sent = batch.topicMessages;
          return transaction.sendBatch(batch);
        },
        async commit() {
          await holdBefore(sent);
          return transaction.commit();
        },
      };
    },
  };
};

let asked = 0;
const answers = new Map();
process.on('message', ({ answer, appended, error }) => {
  if (answer === undefined) return;
  const { resolve, reject } = answers.get(answer);
  if (error === undefined) resolve(appended);
  else reject(new EventLogError(error.fault, error.message));
});
const append = (stream, events, expected) =>
  new Promise((resolve, reject) => {
    answers.set(++asked, { resolve, reject });
    report({ ask: asked, append: [stream, events, expected] });
  });

const read = await openSqliteEventLog({ file, mode: 'read' });
const log = new Proxy(read, {
  get: (target, name) =>
    name === 'append'
      ? append
      : typeof target[name] === 'function'
        ? target[name].bind(target)
        : target[name],
});
const lines = (level) => (details, message) =>
  process.env.RELAY_LOGS &&
  console.error(level, message, details.err?.message ?? '', details.error ?? '');
const logger = {
  debug: process.env.RELAY_LOGS === 'debug' ? lines('debug') : () => undefined,
  info: lines('info'),
  warn: lines('warn'),
  error: lines('error'),
};
const publication = openKafkaPublication({ brokers, prefix, partitions, session, logger });
const relay = new Relay({
  log,
  personalData: plainPersonalData,
  publication,
  logger,
  onStatus: () => undefined,
});
setInterval(() => report({ status: relay.status() }), 20);
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
process.on('disconnect', () => process.exit(1));
await relay.run((batch) => relay.publish(batch), stop.signal);
await publication.close();
await read.close();
process.exit(0);
