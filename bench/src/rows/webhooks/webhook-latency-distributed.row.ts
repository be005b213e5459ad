import { webhookLatencies } from '../../service/webhook-latency.js';
import { fourServicesRow } from '../four-services.js';

const perSecond = 10;

/** The time from a write's response to its webhook, with the four services. */
export const webhookLatencyDistributed = fourServicesRow({
  name: 'webhook-latency-distributed',
  title: `response to a write → webhook received, over four services, ${perSecond}/s`,
  perSecond,
  open: webhookLatencies,
});
