import { webhookLatencies } from '../../measures/webhook-latency.js';
import { separateServicesRow } from '../separate-services.js';

const perSecond = 10;

/** The time from a write's response to its webhook, with the five services. */
export const webhookLatencyDistributed = separateServicesRow({
  name: 'webhook-latency-distributed',
  title: `response to a write → webhook received, over five services, ${perSecond}/s`,
  perSecond,
  open: webhookLatencies,
});
