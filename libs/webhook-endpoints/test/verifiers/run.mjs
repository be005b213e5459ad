// Prints for each vector what the documented Node functions return.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { verify, verifyPlain } from './verify.mjs';

const { vectors } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(
  JSON.stringify(
    vectors.map(({ secret, headers, body_base64, now }) => {
      const body = Buffer.from(body_base64, 'base64');
      return {
        x_service_signature: verifyPlain(secret, headers, body),
        webhook_signature: verify(secret, headers, body, now),
      };
    }),
  ),
);
