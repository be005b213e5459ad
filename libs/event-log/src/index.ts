export { decodeEvent, encodeEvent, isReadable, UnreadableEvent } from './codec.js';
export { EventLogError, isEventLogError, type EventLogErrorCause } from './event-log-error.js';
export type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  LogBatch,
  LoggedEvent,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  SubscribeOptions,
} from './event-log.js';
export { abortableSleep, backoffMs, sleepBeforeRetry } from './event-processor/backoff.js';
export { readDecisions } from './event-processor/decisions.js';
export * from './event-processor/posting-decisions.js';
export {
  follow,
  PoisonEvent,
  processorBatchSize,
  ProcessorRefusal,
  type EventMark,
  type ProcessorLogger,
} from './event-processor/follow.js';
export { ProcessorProgress, type ProcessorStatus } from './event-processor/processor-progress.js';
export * from './load-stream.js';
export { isInLog } from './is-in-log.js';
export { messageOf } from './message-of.js';
export { openEventLog } from './open-event-log.js';
export { openWithRetry } from './open-with-retry.js';
export { halvesOf, startingAppends } from './whole-appends.js';
