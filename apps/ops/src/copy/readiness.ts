import { pendingDecision } from '@refledger/domain';
import { readDecisions, type EventLog } from '@refledger/event-log';
import { openSecretBox } from '@refledger/sealing';
import { dispatcherName, unreadableEndpoints } from '@refledger/webhook-endpoints';
import type { DeliveryStore } from '@refledger/delivery-store';
import { counted } from '../format/counted.js';

/**
 * The reasons why a source cannot be copied now, each with its remedy; empty when it can. A pending
 * decision of an operator, for example, may name a position, which would be another event on the
 * target.
 */
export const findBlockers = async ({
  log,
  store,
  secretsKeys,
  keyFile,
}: Source): Promise<string[]> => [
  ...(await undecided(log)),
  ...(await otherStore(log, store)),
  ...(await sealed(log, secretsKeys, keyFile)),
];

/** The parts of a source that are checked before it is copied. */
export interface Source {
  readonly log: EventLog;
  /** Undefined when nothing was ever delivered. */
  readonly store: Pick<DeliveryStore, 'id'> | undefined;
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

const sealed = async (
  log: EventLog,
  keys: readonly Buffer[] | undefined,
  keyFile: string | undefined,
): Promise<readonly string[]> => {
  const box = keys === undefined ? { hasKeyOf: () => false } : openSecretBox(keys);
  const unreadable = await unreadableEndpoints(log, box);
  if (unreadable.size === 0) return [];
  const secrets = `the webhook secrets of ${counted(unreadable.size, 'endpoint')}`;
  const right =
    keyFile === undefined
      ? "the value that this directory's service uses"
      : `the key in ${keyFile} (export SECRETS_KEY=$(cat ${keyFile}))`;
  return [
    `${keys === undefined ? `SECRETS_KEY is not set, and ${secrets} are sealed` : `SECRETS_KEY does not open ${secrets}`}. Set it, here and for the services, to ${right}.`,
  ];
};
