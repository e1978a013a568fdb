import assert from 'node:assert/strict'
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { openTestStore } from '#test/store/databases.ts'
import { encrypt, webPush } from './web-push.ts'

const decoded = (text: string): Buffer => Buffer.from(text, 'base64url')

test('matches the example of RFC 8291, section 5', () => {
  const sender = createECDH('prime256v1')
  sender.setPrivateKey(decoded('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'))
  const p256dh = decoded('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4')
  const keys = { p256dh, auth: decoded('BTBZMqHH6r4Tts7J_aSIgg') }
  const sealed = encrypt('When I grow up, I want to be a watermelon', keys, { sender, salt: decoded('DGv6ra1nlYgDCS1FRnbzlw') })
  assert.equal(
    sealed.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

/** Like a browser. */
const decrypt = (body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string => {
  const [salt, theirs, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), theirs])
  const secret = Buffer.from(hkdfSync('sha256', browser.computeSecret(theirs), auth, info, 32))
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${purpose}\0`, length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12)).setAuthTag(sealed.subarray(-16))
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  return plain.subarray(0, plain.lastIndexOf(2)).toString()
}

test("sends a browser's push service a signed message that only the browser can read", async (t) => {
  const seen: { headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = []
  const service = await startLoopbackServer(t, (request, response) => {
    void buffer(request).then((body) => {
      seen.push({ headers: request.headers, body })
      response.writeHead(request.url === '/gone' ? 410 : request.url === '/full' ? 429 : 201).end()
    })
  })
  const clock = new VirtualClock()
  const outbound = outboundHttp({ allow: [service], clock })
  t.after(() => outbound.close())
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  const parts = { store: await openTestStore(t, 'sqlite'), clock, vault, outbound, publicUrl: () => 'http://phone.example' }
  const push = webPush({ ...parts, services: /^http:\/\/127/ })
  const browser = createECDH('prime256v1')
  const [p256dh, auth] = [browser.generateKeys(), randomBytes(16)]
  const at = (path: string) => ({
    endpoint: `http://${service}${path}`,
    p256dh: p256dh.toString('base64url'),
    auth: auth.toString('base64url'),
  })
  const message = { text: '{"type":"ring"}', seconds: 30, topic: '0b9a3b34-7a4e-4d4e-8a53-1c2f8e5f7d11' }
  assert.deepEqual([push.accepts(at('/x')), push.accepts({ ...at('/x'), auth: 'AAAA' })], [true, false])
  assert.equal(await push.send(at('/x'), message), 'sent')
  const [{ headers, body } = assert.fail()] = seen
  assert.equal(decrypt(body, browser, auth), message.text)
  assert.deepEqual([headers.ttl, headers.urgency, headers['content-encoding']], ['30', 'high', 'aes128gcm'])
  assert.match(String(headers.topic), /^[\w-]{1,32}$/)
  const [, token = '', key = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(String(headers.authorization)) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const { aud, sub, exp } = JSON.parse(decoded(claims).toString()) as Record<string, unknown>
  assert.deepEqual([aud, sub, exp], [`http://${service}`, 'https://phone.example', Math.floor(clock.now() / 1000) + 43_200])
  const [x, y] = [decoded(key).subarray(1, 33), decoded(key).subarray(33)].map((half) => half.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), { key: publicKey, dsaEncoding: 'ieee-p1363' }, decoded(signature)))
  assert.equal(await push.key(), key)
  assert.equal(await webPush(parts).key(), key, 'another process has the same')
  assert.deepEqual([await push.send(at('/gone'), message), await push.send(at('/full'), message)], ['gone', 'failed'])
  assert.equal(await push.send({ ...at(''), endpoint: 'http://127.0.0.1:1/' }, message), 'failed', 'our rules forbid it')
})
