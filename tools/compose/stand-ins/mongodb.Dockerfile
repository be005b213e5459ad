# In place of MongoDB: SecantusDB, which speaks its protocol.
ARG BASE
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv && rm -rf /var/lib/apt/lists/*
ARG SECANTUSDB
RUN python3 -m venv /opt/secantusdb && /opt/secantusdb/bin/pip install --no-cache-dir SecantusDB==${SECANTUSDB}
EXPOSE 27017
ENTRYPOINT ["/opt/secantusdb/bin/secantusd-py", "--host", "0.0.0.0", "--port", "27017", "--storage-path", "/data/db", "--sync-on-commit", "--log-level", "WARNING", "--standalone"]
