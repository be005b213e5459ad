# Prints for each vector what the documented Ruby functions return.
require 'json'
require_relative 'verify'

vectors = JSON.parse(File.read(ARGV[0], encoding: 'UTF-8'))['vectors']
puts JSON.generate(vectors.map { |vector|
  body = Base64.decode64(vector['body_base64'])
  secret, headers = vector['secret'], vector['headers']
  { x_service_signature: verify_plain(secret, headers, body), webhook_signature: verify(secret, headers, body, vector['now']) }
})
