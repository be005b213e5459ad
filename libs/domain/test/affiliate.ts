import type { AffiliateRecord } from '@refledger/contracts';
import { affiliateRecord } from '../src/affiliate/affiliate.aggregate.js';
import {
  decideAffiliate,
  type OpenAffiliateEvent,
  type ValuesCommand,
} from '../src/affiliate/affiliate-decision.js';
import type { AffiliateState } from '../src/affiliate/affiliate.decider.js';
import { openAffiliate } from '../src/affiliate/sealed-affiliate.js';
import { plainAffiliate } from '../src/testing/affiliate-events.js';
import { plainAffiliateDecider, plainValues } from '../src/testing/plain-affiliate-decider.js';
import { when } from './scenario.js';

/** Returns a decision in the clear, and checks that its events follow their schemas once sealed. */
export const decided = (state: AffiliateState, command: ValuesCommand): OpenAffiliateEvent[] => {
  const open = decideAffiliate(command, openAffiliate(state, plainValues));
  expect(when(plainAffiliateDecider, state, command)).toHaveLength(open.length);
  return open;
};

/** Returns the record as the API shows it. */
export const shownAffiliate = (state: AffiliateState): AffiliateRecord | undefined => {
  const record = affiliateRecord(state);
  return record && plainAffiliate(record);
};
