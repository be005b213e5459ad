import { streams, type AffiliateId } from '@refledger/contracts';
import { eventsOf } from '@refledger/event-log/conformance';
import type { KeyOwner, KeyRow } from '@refledger/key-store';
import { PersonalData } from '@refledger/personal-data';
import { present } from '@refledger/testing/present';
import type { GatewayEngines } from './gateway-engines.js';
import type { AffiliateLife } from './requests.js';

/** What log and key store have of an affiliate. */
export interface Observed {
  readonly life: AffiliateLife;
  /** The ids of its events, in order. */
  readonly events: readonly string[];
  /** Where the first `affiliate.erased` is among them; -1 if there is none. */
  readonly erasedAt: number;
  /** Every sealed text of its stream. */
  readonly sealed: readonly string[];
  readonly row: KeyRow | undefined;
}

/** Reads affiliates without any code that decides or folds. */
export const observe = async (
  engines: GatewayEngines,
  ids: readonly AffiliateId[],
): Promise<ReadonlyMap<AffiliateId, Observed>> => {
  const rows = new Map<KeyOwner, KeyRow>();
  for await (const page of engines.keys.scan()) for (const row of page) rows.set(row.owner, row);
  const observed = new Map<AffiliateId, Observed>();
  for (const id of ids) {
    const events = await eventsOf(engines.log.readStream(streams.affiliate(id)));
    const types = events.map(({ type }) => type);
    const sealed = events.flatMap(({ data }) => sealedIn(data));
    observed.set(id, {
      life: await lifeOf(engines, id, { type: types.at(-1), sealed: sealed.at(-1) }),
      events: events.map((event) => event.id),
      erasedAt: types.indexOf('affiliate.erased'),
      sealed,
      row: rows.get(id),
    });
  }
  return observed;
};

/** An existing affiliate must open. */
const lifeOf = async (
  { keys, box }: GatewayEngines,
  id: AffiliateId,
  { type, sealed }: Readonly<Record<'type' | 'sealed', string | undefined>>,
): Promise<AffiliateLife> => {
  if (type === undefined) return { kind: 'none' };
  if (type === 'affiliate.deleted') return { kind: 'deleted' };
  if (type === 'affiliate.erased') return { kind: 'erased' };
  const text = present(sealed);
  const opened = await new PersonalData(keys, box).openValues(id, new Set([text]));
  if (opened === undefined) throw new Error(`${id} exists, but its key is destroyed`);
  const { email, name } = present(opened.get(text));
  return { kind: 'exists', email, name };
};

const sealedIn = (data: unknown): readonly string[] => {
  // decoding boundary: libs/contracts/src/affiliates/affiliate.events.ts has the schemas
  const { sealed } = data as { readonly sealed?: string };
  return sealed === undefined ? [] : [sealed];
};
