import { expect, test } from 'vitest';
import { webhookHeaders } from './webhook-message.ts';

test('a delivery is signed as in Standard Webhooks, with its example secret', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = webhookHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', secret, 1_614_265_330_000);
  expect(headers).toEqual({
    'content-type': 'application/json',
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('another secret, body, id or second gives another signature, and a secret without the prefix is used as it is', () => {
  const signed = (id: string, body: string, secret: string, now: number) =>
    webhookHeaders(id, body, secret, now)['webhook-signature'];
  const given = [
    signed('a', '{}', 'one', 1_000),
    signed('b', '{}', 'one', 1_000),
    signed('a', '[]', 'one', 1_000),
    signed('a', '{}', 'two', 1_000),
    signed('a', '{}', 'one', 2_000),
    signed('a', '{}', `whsec_${Buffer.from('two').toString('base64')}`, 1_000),
  ];
  expect([new Set(given).size, given[3] === given[5]]).toEqual([5, true]);
});
