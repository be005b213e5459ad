# In place of Kafka's own image: the same broker from its Maven artifacts, set up by the same variables.
ARG BASE
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends openjdk-17-jre-headless && rm -rf /var/lib/apt/lists/*
COPY libs /opt/kafka/libs
COPY kafka.sh /opt/kafka/kafka.sh
EXPOSE 9092
ENTRYPOINT ["bash", "/opt/kafka/kafka.sh"]
