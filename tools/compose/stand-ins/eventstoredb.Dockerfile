# In place of EventStoreDB: this project's double of it for tests.
ARG BASE
FROM ${BASE}
WORKDIR /opt/refledger
COPY . .
RUN mkdir -p /var/lib/eventstore
EXPOSE 2113
ENTRYPOINT ["node", "bundle/eventstoredb-double.js", "--host", "0.0.0.0", "--port", "2113", "--file", "/var/lib/eventstore/double.db"]
