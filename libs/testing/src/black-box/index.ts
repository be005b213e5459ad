export * from './groups.js';
export { noRateLimitSettings } from './rate-limit.suite.js';
