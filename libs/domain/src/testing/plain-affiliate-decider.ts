// Test double: decides on affiliates as the application does, with values that are not sealed.
import { type AffiliateEvent, type AffiliateValues } from '@refledger/contracts';
import { decideAffiliate, type ValuesCommand } from '../affiliate/affiliate-decision.js';
import {
  affiliateDecider,
  type AffiliateCommand,
  type AffiliateState,
} from '../affiliate/affiliate.decider.js';
import { openAffiliate, sealedEvents } from '../affiliate/sealed-affiliate.js';
import type { Decider } from '../decider.js';
import { plainHashes } from './affiliate-events.js';

export type PlainAffiliateCommand =
  ValuesCommand | Exclude<AffiliateCommand, { readonly type: 'record' }>;

/** Opens what `affiliateEvents` sealed. */
export const plainValues = (sealed: string): AffiliateValues =>
  JSON.parse(sealed) as AffiliateValues;

/** Opens an affiliate, decides on it, and seals the events that it returns. */
export const plainAffiliateDecider: Decider<PlainAffiliateCommand, AffiliateState, AffiliateEvent> =
  {
    ...affiliateDecider,
    decide(command, state) {
      if (command.type === 'delete' || command.type === 'erase')
        return affiliateDecider.decide(command, state);
      const decided = decideAffiliate(command, openAffiliate(state, plainValues));
      const last = decided.at(-1);
      if (last === undefined) return [];
      const events = sealedEvents(decided, state, {
        seal: (values) => JSON.stringify(values),
        hashes: plainHashes(last.data.after),
      });
      return affiliateDecider.decide({ type: 'record', events }, state);
    },
  };
