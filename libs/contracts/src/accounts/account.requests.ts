import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { nameSchema } from '../text.js';

/** The body of a request to create an account. */
export const createAccountSchema = z
  .strictObject({ name: nameSchema })
  .meta({ id: 'CreateAccount' })
  .register(bodyExamples, { example: { name: 'Corner shop' } });
