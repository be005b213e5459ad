export { newWrappedAccountKeys, openAccountKeys, type AccountKeys } from './account-keys.js';
export { newWrappedKey, openKey, type PersonalKey } from './personal-key.js';
export { SealedUnreadable } from './sealed-unreadable.js';
export { searchQuery, termsOf, type SearchedValues } from './search-terms.js';
export { openSecretBox, type SecretBox } from './secret-box.js';
