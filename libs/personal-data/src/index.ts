export { AccountKeyring } from './account-keyring.js';
export * from './affiliate-hashes.js';
export type { DeliveryKey } from './delivery-key.js';
export { DeliveryTexts } from './delivery-texts.js';
export { Keyring } from './keyring.js';
export { PersonalData, sealValues } from './personal-data.js';
export { isPersonalDataUnavailable } from './personal-data-unavailable.js';
export { affiliateQuery, newSearchTerms, type AffiliateQuery } from './hashed-terms.js';
