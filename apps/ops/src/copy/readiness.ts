import { pendingDecision } from '@refledger/domain';
import { readDecisions, type EventLog } from '@refledger/event-log';
import {
  dispatcherName,
  openSecretBox,
  unreadableEndpoints,
  type DeliveryStore,
} from '@refledger/webhooks';
import { counted } from '../format/counted.js';

/**
 * Why a source can't be copied as it is, each reason with what would be right; none when it can. A decision of an operator that waits may name a
 * position, which means another event on the other side.
 */
export const reasonsAgainst = async ({
  log,
  store,
  secretsKeys,
  keyFile,
}: Source): Promise<string[]> => [
  ...(await undecided(log)),
  ...(await otherStore(log, store)),
  ...(await sealed(log, secretsKeys, keyFile)),
];

export interface Source {
  readonly log: EventLog;
  /** Undefined where nothing was ever delivered. */
  readonly store: Pick<DeliveryStore, 'id'> | undefined;
  /** SECRETS_KEY as the services will have it. */
  readonly secretsKeys: readonly Buffer[] | undefined;
  /** The folder's own key, where there is one. */
  readonly keyFile: string | undefined;
}

const undecided = async (log: EventLog): Promise<readonly string[]> => {
  const reasons: string[] = [];
  // the projector goes on from what its read models have reached, whatever was decided
  for (const processor of [dispatcherName, 'relay']) {
    const from = pendingDecision((await readDecisions(log, processor)).state)?.from;
    if (from === undefined || from === 'start' || from === 'head') continue;
    reasons.push(
      `it was decided that ${processor} goes on after position ${from}, which is another event on the target: start the service once so that this is carried out, or decide again: ops resume ${processor} --from start|head`,
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
    `the log says that deliveries are kept in store ${noted}, and ${store === undefined ? 'deliveries.db is not there' : `deliveries.db is ${store.id}`}: start the service and decide where it goes on (ops resume ${dispatcherName})`,
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
      ? 'what it is for the service of this folder'
      : `the key in ${keyFile} (export SECRETS_KEY=$(cat ${keyFile}))`;
  return [
    `${keys === undefined ? `SECRETS_KEY is not set, and ${secrets} are sealed` : `SECRETS_KEY does not open ${secrets}`}: set it, here and for the services, to ${right}`,
  ];
};
