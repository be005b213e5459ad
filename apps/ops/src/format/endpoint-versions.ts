import { isEventOf, isObject, type EndpointBefore } from '@refledger/contracts';
import { endpointChange } from '@refledger/domain';
import { decodeEvent, type LoggedEvent } from '@refledger/event-log';

/** The changes that an event made to a webhook endpoint. */
export interface EndpointVersions {
  readonly before: object;
  readonly after: object;
  /** The other fields of the event. */
  readonly about: object;
}

/**
 * The endpoint before and after an event that contains the endpoint before it (ADR 38), with the
 * same fields. Undefined for any other event, and for one that cannot be read.
 */
export const endpointVersions = (event: LoggedEvent): EndpointVersions | undefined => {
  if (!isObject(event.data) || !isObject(event.data['before'])) return undefined;
  try {
    return versionsIn(event);
  } catch {
    return undefined;
  }
};

const versionsIn = (logged: LoggedEvent): EndpointVersions | undefined => {
  const event = decodeEvent(logged);
  if (!isEventOf('webhooks', event) || !('before' in event.data)) return undefined;
  const after = endpointChange(event).after;
  return (
    after && {
      before: comparable(event.data.before),
      after: comparable(after),
      about: {
        endpoint_id: event.data.endpoint_id,
        ...(event.type === 'webhook.enabled' && { held: event.data.held }),
      },
    }
  );
};

/** Without the times of events. */
const comparable = ({ fields, status, disabled, failing_since, previous }: EndpointBefore) => ({
  ...fields,
  status,
  disabled: disabled?.reason ?? null,
  failing_since,
  previous,
});
