#!/usr/bin/env bash
# KAFKA_LOG_DIRS=… is log.dirs=…, as in Kafka's own image; the log is formatted at the first start.
set -euo pipefail
properties=/tmp/server.properties
: > "$properties"
for name in $(compgen -e KAFKA_); do
  key=${name#KAFKA_}
  key=${key,,}
  echo "${key//_/.}=${!name}" >> "$properties"
done
java=(java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '/opt/kafka/libs/*')
[ -e "$KAFKA_LOG_DIRS/meta.properties" ] || "${java[@]}" -Xmx128m kafka.tools.StorageTool format -t "${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}" -c "$properties"
exec "${java[@]}" -Xmx384m kafka.Kafka "$properties"
