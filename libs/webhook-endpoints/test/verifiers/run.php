<?php
// Prints for each vector what the documented PHP functions return.
require __DIR__ . '/verify.php';

$vectors = json_decode(file_get_contents($argv[1]), true)['vectors'];
echo json_encode(array_map(function ($vector) {
    $body = base64_decode($vector['body_base64']);
    return [
        'x_service_signature' => verify_plain($vector['secret'], $vector['headers'], $body),
        'webhook_signature' => verify($vector['secret'], $vector['headers'], $body, $vector['now']),
    ];
}, $vectors));
