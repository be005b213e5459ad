import { z } from 'zod';
import { kindSchema } from '../event-kinds/event-kind.requests.js';
import { bodyExamples } from '../shared/body-examples.js';

/** The body of a request to test an endpoint. */
export const testWebhookSchema = z
  .strictObject({
    type: kindSchema
      .optional()
      .describe(
        'Default: the first kind that the endpoint subscribed to; of a pattern, the first kind that it matches.',
      ),
  })
  .meta({ id: 'TestWebhook' })
  .register(bodyExamples, { example: { type: 'conversion.approved' } });
