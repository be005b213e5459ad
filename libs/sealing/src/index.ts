export { newWrappedAccountKeys, openAccountKeys, type AccountKeys } from './account-keys.js';
export { newWrappedKey, openKey, type PersonalKey } from './personal-key.js';
export { SealedUnreadable } from './sealed-unreadable.js';
export { openSecretBox, type SecretBox } from './secret-box.js';
