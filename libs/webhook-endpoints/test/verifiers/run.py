# Prints for each vector what the documented Python functions return.
import base64, json, sys
from verify import verify, verify_plain

def judged(vector):
    body = base64.b64decode(vector["body_base64"])
    secret, headers = vector["secret"], vector["headers"]
    return {"x_service_signature": verify_plain(secret, headers, body), "webhook_signature": verify(secret, headers, body, vector["now"])}

with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([judged(vector) for vector in json.load(file)["vectors"]]))
