import type { Publication, PublicationSession, Turn } from '../publication.js';
import { withTimeout } from './with-timeout.js';
import { KafkaAdmin } from './kafka-admin.js';
import { newKafka, type KafkaConnection } from './kafka-client.js';
import { KafkaSession } from './kafka-session.js';
import { RelayMembership, type RelayMembershipOptions } from './relay-membership.js';
import { createTopics, topicsNamed, type TopicShape } from './topics.js';
import { raceAbort } from './race-abort.js';

export interface KafkaPublicationOptions extends KafkaConnection, TopicShape {
  /**
   * The time without a heartbeat after which a relay loses its turn, and the interval of
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
    await admin.ask((asked) => createTopics(asked, topics, { partitions, replicationFactor }));
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
    async turn(signal, onStandby): Promise<Turn> {
      const joined = await raceAbort(signal, member());
      const over = await joined.turnCome(signal, onStandby);
      const ending = AbortSignal.any([signal, over]);
      const begin = (): Promise<PublicationSession> => {
        const session = KafkaSession.begin(kafka, topics, joined, ending);
        return raceAbort(ending, session).catch((error: unknown) => {
          // The session may still begin after the abort.
          session.then(
            (late) => late.close(),
            () => undefined,
          );
          throw error;
        });
      };
      return { over, begin };
    },

    async close() {
      await Promise.all([membership && withTimeout(membership.leave()), admin.close()]);
    },
  };
};

const defaultSession = { sessionTimeout: 10_000, heartbeatInterval: 2_000 };
