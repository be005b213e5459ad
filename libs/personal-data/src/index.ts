export * from './affiliate-hashes.js';
export { Keyring } from './keyring.js';
export { PersonalData, sealValues } from './personal-data.js';
export { isPersonalDataUnavailable } from './personal-data-unavailable.js';
