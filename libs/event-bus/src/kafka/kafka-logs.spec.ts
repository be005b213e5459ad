import { logLevel, type LogEntry } from 'kafkajs';
import { kafkaLogs } from './kafka-logs.js';

const logged = (entry: {
  readonly level: logLevel;
  readonly namespace: string;
  readonly message: string;
  readonly retryCount?: number;
}): string[] => {
  const reported: string[] = [];
  const note = (level: string) => (_: object, message: string) =>
    void reported.push(`${level} ${message}`);
  const { level, namespace, ...log } = entry;
  kafkaLogs({
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  }).logCreator(logLevel.DEBUG)({
    level,
    namespace,
    label: '',
    log: { timestamp: '', ...log },
  } satisfies LogEntry);
  return reported;
};

it('logs at debug level what kafkajs retries or throws', () => {
  expect(
    logged({
      level: logLevel.ERROR,
      namespace: 'Connection',
      message: 'Response Fetch: not the leader',
    }),
  ).toEqual(['debug Response Fetch: not the leader']);
  expect(
    logged({ level: logLevel.ERROR, namespace: 'ConsumerGroup', message: 'again', retryCount: 1 }),
  ).toEqual(['debug again']);
  expect(
    logged({ level: logLevel.ERROR, namespace: 'Consumer', message: 'Crash: KafkaJSError' }),
  ).toEqual(['debug Crash: KafkaJSError']);
  expect(logged({ level: logLevel.WARN, namespace: 'Runner', message: 'rebalancing' })).toEqual([
    'debug rebalancing',
  ]);
});

it('warns of an error that is reported nowhere else', () => {
  expect(
    logged({
      level: logLevel.ERROR,
      namespace: 'Consumer',
      message: 'Failed to execute listener: x',
    }),
  ).toEqual(['warn Failed to execute listener: x']);
});
