import type { LoadOrCreateFirstKey, Marks, PostingReads } from '@refledger/application';
import type { Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { KeyStore } from '@refledger/key-store';
import type { Config, Logger, Metrics } from '@refledger/platform';
import type { ReadStore } from '@refledger/read-store';
import type { SecretBox } from '@refledger/sealing';
import type { Outgoing } from '@refledger/webhook-endpoints';
import { token } from './provide.js';

/** The injection tokens of everything that is no class. */
export const configToken = token<Config>('Config');
export const eventLogToken = token<EventLog>('EventLog');
export const readStoreToken = token<ReadStore>('ReadStore');
export const keyStoreToken = token<Pick<KeyStore, 'getMany' | 'put' | 'destroy'>>('KeyStore');
export const secretBoxToken = token<SecretBox>('SecretBox');
export const outgoingToken = token<Pick<Outgoing, 'blocked'>>('Outgoing');
export const loadOrCreateFirstKeyToken = token<LoadOrCreateFirstKey>('LoadOrCreateFirstKey');
export const metricsToken = token<Metrics>('Metrics');
export const loggerToken = token<Logger>('Logger');
/** The end of the log once the first account and key exist. */
export const startedAtToken = token<Position | undefined>('startedAt');
export const marksToken = token<Marks>('Marks');
export const postingToken = token<PostingReads>('posting');
