export { openWebhookDispatcher } from './open-webhook-dispatcher.js';
export { startWebhookDispatcher } from './start-webhook-dispatcher.js';
