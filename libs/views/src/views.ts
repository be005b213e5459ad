import { accountsView } from './accounts.view.js';
import { apiKeysView } from './api-keys.view.js';
import { affiliateStatsView } from './affiliate-stats.view.js';
import { affiliatesView } from './affiliates.view.js';
import { conversionsView } from './conversions.view.js';
import { programsView } from './programs.view.js';
import type { View } from './view.js';
import { webhookEndpointsView } from './webhook-endpoints.view.js';

/** Every read model of the service. */
export const views: readonly View[] = [
  accountsView,
  programsView,
  affiliatesView,
  conversionsView,
  affiliateStatsView,
  webhookEndpointsView,
  apiKeysView,
];
