import { pendingDecision } from '@refledger/domain';
import { readDecisions, type EventLog } from '@refledger/event-log';
import { openSecretBox } from '@refledger/sealing';
import { dispatcherName, unreadableEndpoints } from '@refledger/webhook-endpoints';
import type { DeliveryStore } from '@refledger/delivery-store';
import type { KeyReader } from '@refledger/key-store';
import { counted } from '../format/counted.js';
import { countUnreadableKeys, findKeyBlockers } from './key-readiness.js';

/**
 * The reasons why a source cannot be copied now, each with its remedy; empty when it can. A pending
 * decision of an operator, for example, may name a position, which would be another event on the
 * target.
 */
export const findBlockers = async ({
  log,
  store,
  keys,
  secretsKeys,
  keyFile,
}: Source): Promise<string[]> => [
  ...(await undecided(log)),
  ...(await otherStore(log, store)),
  ...(await findKeyBlockers(log, keys)),
  ...(await sealed({ log, keys, secretsKeys, keyFile })),
];

/** The parts of a source that are checked before it is copied. */
export interface Source {
  readonly log: EventLog;
  /** Undefined when nothing was ever delivered. */
  readonly store: Pick<DeliveryStore, 'id'> | undefined;
  /** Undefined when the directory has no key store. */
  readonly keys: Pick<KeyReader, 'id' | 'getMany' | 'scan'> | undefined;
  /** The SECRETS_KEY that the services will use. */
  readonly secretsKeys: readonly Buffer[] | undefined;
  /** The directory's own key file, if it has one. */
  readonly keyFile: string | undefined;
}

const undecided = async (log: EventLog): Promise<readonly string[]> => {
  const reasons: string[] = [];
  // The projector is not checked: it always continues from its read models' checkpoints. Nor are
  // the ledger's processors: without a checkpoint they start over, whatever was decided.
  for (const processor of [dispatcherName, 'relay']) {
    const from = pendingDecision((await readDecisions(log, processor)).state)?.from;
    if (from === undefined || from === 'start' || from === 'head') continue;
    reasons.push(
      `a pending decision makes ${processor} continue after position ${from}, which is another event on the target. Start the service once to carry the decision out, or decide again: ops resume ${processor} --from start|head`,
    );
  }
  return reasons;
};

const otherStore = async (
  log: EventLog,
  store: Pick<DeliveryStore, 'id'> | undefined,
): Promise<readonly string[]> => {
  const { store_id: noted } = (await readDecisions(log, dispatcherName)).state;
  if (noted === undefined || noted === store?.id) return [];
  return [
    `the log names ${noted} as the delivery store, but ${store === undefined ? 'deliveries.db is missing' : `deliveries.db is ${store.id}`}. Start the service, and decide where ${dispatcherName} continues: ops resume ${dispatcherName}`,
  ];
};

const sealed = async ({
  log,
  keys,
  secretsKeys,
  keyFile,
}: Omit<Source, 'store'>): Promise<readonly string[]> => {
  const box = secretsKeys === undefined ? { hasKeyOf: () => false } : openSecretBox(secretsKeys);
  const endpoints = (await unreadableEndpoints(log, box)).size;
  const wrapped = keys === undefined ? 0 : await countUnreadableKeys(keys, box);
  const unreadable = [
    ...(endpoints === 0 ? [] : [`the webhook secrets of ${counted(endpoints, 'endpoint')}`]),
    ...(wrapped === 0 ? [] : [counted(wrapped, 'personal key')]),
  ];
  if (unreadable.length === 0) return [];
  const secrets = unreadable.join(' and ');
  const right =
    keyFile === undefined
      ? "the value that this directory's service uses"
      : `the key in ${keyFile} (export SECRETS_KEY=$(cat ${keyFile}))`;
  return [
    `${secretsKeys === undefined ? `SECRETS_KEY is not set, which opens ${secrets}` : `SECRETS_KEY does not open ${secrets}`}. Set it, here and for the services, to ${right}.`,
  ];
};
