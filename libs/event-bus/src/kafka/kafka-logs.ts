import type { ProcessorLogger } from '@refledger/event-log';
import { logLevel, type LogEntry, type logCreator } from 'kafkajs';

/** The part of a logger (pino's) that the adapter needs. */
export interface KafkaLogger extends ProcessorLogger {
  debug(details: object, message: string): void;
}

/**
 * Makes kafkajs log to Refledger's logger. kafkajs logs at level ERROR what it retries or throws,
 * and the caller reports what is thrown. So these errors are logged at debug level; only an error
 * that surfaces nowhere else is a warning.
 */
export const kafkaLogs = (
  logger: KafkaLogger,
): { readonly logLevel: logLevel; readonly logCreator: logCreator } => ({
  logLevel: logLevel.DEBUG,
  logCreator: () => (entry) => {
    const { message, error } = entry.log;
    const details = {
      kafka: entry.namespace,
      ...(error !== undefined && { error: String(error) }),
    };
    if (isReportedOnlyHere(entry)) logger.warn(details, message);
    else logger.debug(details, message);
  },
});

const isReportedOnlyHere = ({ level, namespace, log }: LogEntry): boolean =>
  level === logLevel.ERROR &&
  log.retryCount === undefined &&
  !reporting.has(namespace) &&
  !/^(Crash|Restarting|Offset out of range|The coordinator is not aware)/.test(log.message);

/** The namespaces that throw what they log. */
const reporting: ReadonlySet<string> = new Set([
  'Connection',
  'BrokerPool',
  'SASLPlainAuthenticator',
  'Producer',
  'Cluster',
]);
