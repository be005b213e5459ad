# Prints for each vector what the documented openssl commands print.
node -e '
  const { vectors } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
  const { execFileSync } = require("child_process");
  const { writeFileSync } = require("fs");
  console.log(JSON.stringify(vectors.map(({ secret, headers, body_base64 }) => {
    writeFileSync("body", Buffer.from(body_base64, "base64"));
    const env = { ...process.env, SECRET: secret, X_SERVICE_SIGNATURE: headers["x-service-signature"] ?? "", WEBHOOK_ID: headers["webhook-id"], WEBHOOK_TIMESTAMP: headers["webhook-timestamp"], WEBHOOK_SIGNATURE: headers["webhook-signature"] ?? "" };
    const said = execFileSync("bash", ["verify.sh"], { env, encoding: "utf8" });
    return { x_service_signature: said.includes("X-Service-Signature: valid"), webhook_signature: said.includes("webhook-signature: valid") };
  })));
' "$1"
