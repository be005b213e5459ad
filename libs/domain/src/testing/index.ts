export {
  affiliateEvents,
  affiliateFields,
  plainAffiliate,
  storedAffiliate,
} from './affiliate-events.js';
export {
  plainAffiliateDecider,
  plainValues,
  type PlainAffiliateCommand,
} from './plain-affiliate-decider.js';
export { plainPersonalData } from './plain-personal-data.js';
export { LosableKeys } from './losable-keys.js';
