export { openSecretBox, SecretUnreadable, type SecretBox } from './secret-box.js';
