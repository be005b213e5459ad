import type { Publication, PublicationSession, Leadership } from '../../publication.js';
import { withTimeout } from '../with-timeout.js';
import { KafkaAdmin } from '../kafka-admin.js';
import { defaultSession, newKafka, type KafkaConnection } from '../kafka-client.js';
import { KafkaSession } from './kafka-session.js';
import { RelayMembership, type RelayMembershipOptions } from './relay-membership.js';
import { createTopics, topicsNamed, type TopicShape } from '../topics.js';
import { raceAbort } from '../race-abort.js';

export interface KafkaPublicationOptions extends KafkaConnection, TopicShape {
  /**
   * The time without a heartbeat after which a relay stops leading, and the interval between
   * heartbeats.
   */
  readonly session?: RelayMembershipOptions['session'];
}

/** Kafka as the bus, for a relay. Creates missing topics. */
export const openKafkaPublication = ({
  partitions,
  replicationFactor,
  session = defaultSession,
  ...connection
}: KafkaPublicationOptions): Publication => {
  const kafka = newKafka(connection, 'relay');
  const topics = topicsNamed(connection.prefix);
  const admin = new KafkaAdmin(kafka);
  let membership: RelayMembership | undefined;

  const member = async (): Promise<RelayMembership> => {
    if (membership !== undefined && !membership.hasFailed) return membership;
    await admin.request((asked) => createTopics(asked, topics, { partitions, replicationFactor }));
    membership = new RelayMembership({ kafka, topics, session });
    const joining = membership;
    await joining.join().catch((error: unknown) => {
      membership = undefined;
      void joining.leave().catch(() => undefined);
      throw error;
    });
    return joining;
  };

  return {
    async lead(signal, onStandby): Promise<Leadership> {
      const joined = await raceAbort(signal, member());
      const over = await joined.untilLeading(signal, onStandby);
      const ending = AbortSignal.any([signal, over]);
      const start = (): Promise<PublicationSession> => {
        const session = KafkaSession.start(kafka, topics, joined, ending);
        return raceAbort(ending, session).catch((error: unknown) => {
          // The session may still start after the abort.
          session.then(
            (late) => late.close(),
            () => undefined,
          );
          throw error;
        });
      };
      return { over, start };
    },

    async close() {
      await Promise.all([membership && withTimeout(membership.leave()), admin.close()]);
    },
  };
};
