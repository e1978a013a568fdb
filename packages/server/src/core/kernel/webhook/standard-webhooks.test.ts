import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, signWebhook, verifyWebhook } from './standard-webhooks.ts'

const AT = 1_794_700_800
const body = '{"event":"session_start","text":"Grüße 📞"}'

function signed(secrets: string[], id = 'msg_1'): Record<string, string> {
  return signWebhook({ id, timestampSeconds: AT, body, secrets })
}

const anything = fc.record({
  secret: fc.uint8Array({ minLength: 24, maxLength: 64 }).map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`),
  id: fc.stringMatching(/^[\w-]{1,40}$/),
  body: fc.string({ unit: 'grapheme' }),
  seconds: fc.integer({ min: 1, max: 4_000_000_000 }),
})

test('signs like the reference implementation', () => {
  fc.assert(
    fc.property(anything, ({ secret, id, body, seconds }) => {
      const headers = signWebhook({ id, timestampSeconds: seconds, body, secrets: [secret] })
      assert.equal(headers['webhook-signature'], new Webhook(secret).sign(id, new Date(seconds * 1000), body))
      assert.equal(headers['webhook-id'], id)
      assert.equal(headers['webhook-timestamp'], String(seconds))
    }),
  )
})

test('accepts signatures of the reference implementation', () => {
  fc.assert(
    fc.property(anything, ({ secret, id, body, seconds }) => {
      const headers = {
        'Webhook-Id': id,
        'Webhook-Timestamp': String(seconds),
        'Webhook-Signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
      }
      assert.equal(verifyWebhook(headers, body, [secret], seconds), true)
    }),
  )
})

test('is accepted by the reference implementation with either secret during a rotation', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: AT * 1000 })
  const [older, newer] = [newWebhookSecret(), newWebhookSecret()]
  const headers = signed([newer, older])
  for (const secret of [older, newer]) assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
  assert.throws(() => new Webhook(newWebhookSecret()).verify(body, headers))
})

test('accepts any of several secrets', () => {
  const [older, newer] = [newWebhookSecret(), newWebhookSecret()]
  assert.equal(verifyWebhook(signed([older]), body, [newer, older], AT), true)
  assert.equal(verifyWebhook(signed([older]), body, [newer], AT), false)
  assert.equal(verifyWebhook(signed([older]), body, [], AT), false)
})

test('rejects a changed body, id, time or signature', () => {
  const secret = newWebhookSecret()
  const headers = signed([secret])
  const mac = headers['webhook-signature']!
  const check = (changes: Record<string, string | string[] | undefined>, text = body) =>
    verifyWebhook({ ...headers, ...changes }, text, [secret], AT)
  assert.equal(check({}), true)
  assert.equal(check({}, `${body} `), false)
  assert.equal(check({ 'webhook-id': 'msg_2' }), false)
  assert.equal(check({ 'webhook-timestamp': String(AT + 1) }), false)
  for (const wrong of [
    '',
    'v1',
    'v1,',
    mac.slice(0, -1),
    `${mac}=`,
    mac.replace('v1,', 'v2,'),
    mac.replace('v1,', ''),
    mac.toLowerCase(),
  ]) {
    assert.equal(check({ 'webhook-signature': wrong }), false, wrong)
  }
  assert.equal(check({ 'webhook-signature': `v1,AAAA v9,x ${mac}` }), true)
})

test('rejects missing, repeated or malformed headers', () => {
  const secret = newWebhookSecret()
  const headers = signed([secret])
  for (const name of Object.keys(headers)) {
    assert.equal(verifyWebhook({ ...headers, [name]: undefined }, body, [secret], AT), false, name)
    assert.equal(verifyWebhook({ ...headers, [name]: [headers[name]!, headers[name]!] }, body, [secret], AT), false, name)
  }
  for (const time of ['NaN', '1e9', `${AT}.0`, ` ${AT}`, '-1', '9'.repeat(400)]) {
    assert.equal(verifyWebhook({ ...headers, 'webhook-timestamp': time }, body, [secret], AT, Infinity), false, time)
  }
})

test('rejects old and future messages', () => {
  const secret = newWebhookSecret()
  const headers = signed([secret])
  assert.equal(verifyWebhook(headers, body, [secret], AT + 300), true)
  assert.equal(verifyWebhook(headers, body, [secret], AT + 301), false)
  assert.equal(verifyWebhook(headers, body, [secret], AT - 300), true)
  assert.equal(verifyWebhook(headers, body, [secret], AT - 301), false)
  assert.equal(verifyWebhook(headers, body, [secret], AT + 20, 10), false)
})

test('creates unique secrets and rejects invalid ones without repeating them', () => {
  assert.match(newWebhookSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(newWebhookSecret(), newWebhookSecret())
  for (const secret of ['', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(200)}`, `${newWebhookSecret()}!`]) {
    assert.throws(() => signed([secret]), { message: 'A webhook secret is whsec_ and 24 to 64 bytes in base64' })
  }
  assert.throws(() => signed([]), /at least one secret/)
  for (const id of ['', 'a.b', 'a b', 'a\r\nx: y']) assert.throws(() => signed([newWebhookSecret()], id), /webhook id/)
  assert.throws(() => signWebhook({ id: 'a', timestampSeconds: 1.5, body, secrets: [newWebhookSecret()] }), /whole number/)
})
