export type { DispatcherOptions } from './dispatcher-options.js';
export type { DispatcherMetrics, DispatcherStatus } from './dispatcher-reports.js';
export { WebhookDispatcher } from './dispatcher.js';
