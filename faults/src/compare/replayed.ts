import type { Replay } from '@refledger/testing';
import type { Facts } from '../facts.js';
import type { History, ExpectedDelivery } from '../history.js';
import type { Entry } from '../ledger.js';
import { recordKinds } from '../record-kinds.js';
import type { Comparison } from './comparison.js';

/**
 * The events that acknowledged replays must have sent to their endpoints, even if no endpoint
 * wanted them when they happened.
 */
export const broughtByReplays = (
  entries: readonly Entry[],
  { endpoints, versions }: Pick<History, 'endpoints' | 'versions'>,
): readonly ExpectedDelivery[] =>
  acknowledged(entries).flatMap(({ endpoint_id: endpointId, since, until, types, only }) => {
    const url = endpoints.get(endpointId);
    if (url === undefined || only === 'failed') return [];
    const path = new URL(url).pathname;
    return [...versions.values()].flat().flatMap((version): readonly ExpectedDelivery[] => {
      const { position, type } = version.event;
      const isInRange = BigInt(position) > BigInt(since) && BigInt(position) <= BigInt(until);
      const isWanted = (types ?? recordKinds).some((kind) => kind === type);
      if (!isInRange || !isWanted) return [];
      return [{ endpointId, path, version, mayBeCanceled: false }];
    });
  });

/** The ids of endpoints to which a replay of unknown outcome may have sent anything. */
export const endpointsOfUnknownReplays = (entries: readonly Entry[]): ReadonlySet<string> =>
  new Set(
    entries
      .filter(
        ({ intent, outcome }) =>
          intent.what === 'replay.create' && outcome?.report !== 'acknowledged',
      )
      .map(({ intent }) => intent.path.split('/')[3] ?? ''),
  );

const acknowledged = (entries: readonly Entry[]): readonly Replay[] =>
  entries.flatMap(({ outcome }) =>
    outcome?.report === 'acknowledged' && outcome.record?.object === 'replay'
      ? [outcome.record]
      : [],
  );

/** Checks that each replay has finished, and counts its deliveries by status. */
export const compareReplayed = ({
  entries,
  deliveries,
  replays,
}: Pick<Facts, 'entries' | 'deliveries' | 'replays'>): Comparison => {
  const known = new Map(replays.map((replay) => [replay.id, replay]));
  const all = [...deliveries.values()];
  const countOf = ({ id }: Pick<Replay, 'id'>, status?: string): number =>
    all.filter((one) => one.replayId === id && (status === undefined || one.status === status))
      .length;
  return {
    claim: 'replays finish, and count their deliveries',
    figures: {
      replays: replays.length,
      replayed: all.filter(({ trigger }) => trigger === 'replay').length,
      redelivered: all.filter(({ trigger }) => trigger === 'redeliver').length,
    },
    differences: [
      ...acknowledged(entries).flatMap(({ id }) =>
        known.has(id) ? [] : [`replay ${id} was acknowledged, but is not listed`],
      ),
      ...replays.flatMap((replay) => {
        const { id, status, planned, succeeded, failed } = replay;
        const shown = [status, planned, succeeded, failed].join(' ');
        const counted = [
          'finished',
          countOf(replay),
          countOf(replay, 'succeeded'),
          countOf(replay, 'failed'),
        ].join(' ');
        return shown === counted ? [] : [`replay ${id} is ${shown}, but must be ${counted}`];
      }),
    ],
  };
};
