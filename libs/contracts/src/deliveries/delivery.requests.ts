import { z } from 'zod';
import { kindSchema } from '../event-types/public-event-type.requests.js';
import { bodyExamples } from '../shared/body-examples.js';

/** The body of a request to test an endpoint. */
export const testWebhookSchema = z
  .strictObject({
    type: kindSchema
      .optional()
      .describe(
        'Default: the first event type of the endpoint; of a pattern, the first type that it matches.',
      ),
  })
  .meta({ id: 'TestWebhook' })
  .register(bodyExamples, { example: { type: 'conversion.approved' } });
