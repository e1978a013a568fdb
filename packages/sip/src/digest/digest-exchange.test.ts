import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildResponse } from '../message/build.ts'
import { DigestClient } from './digest-client.ts'
import type { DigestCredentials } from './digest-client.ts'
import { DigestServer } from './digest-server.ts'
import type { DigestVerdict } from './digest-server.ts'
import { digestHa1 } from './digest.ts'
import type { DigestAlgorithm } from './digest.ts'
import type { Response } from '../message/message.ts'
import { parseMessage } from '../message/parse.ts'
import { SipError } from '../grammar/scan.ts'

const key = Buffer.alloc(32, 7)
const request = { method: 'REGISTER', uri: 'sip:example.org' }

/** Client and server are real and exchange messages in wire format. */
const makeServer = (options: { nonces?: number } = {}) => {
  const time = { now: 1_700_000_000_000 }
  return { time, server: new DigestServer({ realm: 'offhook', key, now: () => time.now, ...options }) }
}

const answer = (status: number, headers: [string, string][]): Response => {
  const always: [string, string][] = [
    ['Via', 'SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKx'],
    ['From', '<sip:a@example.org>;tag=1'],
    ['To', '<sip:a@example.org>;tag=2'],
    ['Call-ID', 'x'],
    ['CSeq', '1 REGISTER'],
  ]
  return parseMessage(buildResponse(status, [...always, ...headers])) as Response
}

const unauthorized = (challenges: readonly string[], status = 401): Response =>
  answer(
    status,
    challenges.map((challenge) => [status === 401 ? 'WWW-Authenticate' : 'Proxy-Authenticate', challenge]),
  )

const makeClient = (credentials: Partial<DigestCredentials> = {}): DigestClient =>
  new DigestClient({ username: 'anna', password: 'a "secret"', realm: 'offhook', ...credentials })

const authorized = (client: DigestClient, { method, uri } = request): string[] =>
  client.authorization(method, uri).map(([, value]) => value)

const verdict = (server: DigestServer, lines: string[], asked = request, password = 'a "secret"'): DigestVerdict | undefined => {
  const claim = server.claim(lines)
  return claim && server.check(claim, asked, { password })
}

test('accepts the credentials that answer a challenge', () => {
  const { server } = makeServer()
  const client = makeClient()
  assert.deepEqual(client.authorization('REGISTER', 'sip:example.org'), [], 'nothing before a challenge')
  assert.ok(client.challenged(unauthorized(server.challenges())))
  const lines = authorized(client)
  assert.match(lines[0]!, /^Digest username="anna", realm="offhook", nonce="[\w-]+", uri="sip:example.org", response="[0-9a-f]{64}"/)
  assert.match(lines[0]!, /algorithm=SHA-256.*qop=auth, nc=00000001/)
  assert.equal(server.claim(lines)?.username, 'anna')
  assert.equal(verdict(server, lines), 'right')
})

test('supports every algorithm, with a password and with its hash', () => {
  for (const algorithm of ['MD5', 'SHA-256', 'SHA-512-256'] as DigestAlgorithm[]) {
    const { server } = makeServer()
    const client = makeClient()
    client.challenged(unauthorized(server.challenges({ algorithms: [algorithm] })))
    const claim = server.claim(authorized(client))!
    const ha1 = { [algorithm]: digestHa1(algorithm, 'anna', 'offhook', 'a "secret"') }
    assert.equal(server.check(claim, request, { ha1 }), 'right', algorithm)
    assert.equal(server.check(server.claim(authorized(client))!, request, { ha1: {} }), 'wrong', 'no hash of this kind is kept')
  }
})

test('picks the strongest algorithm in any order', () => {
  const { server } = makeServer()
  const client = makeClient()
  assert.ok(
    client.challenged(unauthorized([...server.challenges({ algorithms: ['MD5', 'SHA-256'] }), 'Basic realm="x"', 'Digest nonsense'])),
  )
  assert.match(authorized(client)[0]!, /algorithm=SHA-256/)
})

test('answers session algorithms and challenges without qop', () => {
  const { server } = makeServer()
  for (const change of ['algorithm=MD5-sess', 'algorithm=MD5']) {
    const client = makeClient()
    const [challenge = ''] = server.challenges({ algorithms: ['MD5'] })
    const changed = challenge.replace('algorithm=MD5', change)
    client.challenged(unauthorized([change === 'algorithm=MD5' ? changed.replace(', qop="auth"', '') : changed]))
    assert.equal(verdict(server, authorized(client)), 'right', change)
  }
})

test('accepts credentials without a count once', () => {
  const { server } = makeServer()
  const client = makeClient()
  client.challenged(unauthorized(server.challenges({ algorithms: ['MD5'] }).map((each) => each.replace(', qop="auth"', ''))))
  const lines = authorized(client)
  assert.ok(!lines[0]!.includes('nc='))
  assert.equal(verdict(server, lines), 'right')
  assert.equal(verdict(server, lines), 'stale')
})

test('rejects a wrong secret, user, method or target', () => {
  const { server } = makeServer()
  const client = makeClient()
  client.challenged(unauthorized(server.challenges()))
  assert.equal(verdict(server, authorized(client), request, 'guess'), 'wrong')
  assert.equal(verdict(server, authorized(client), { ...request, method: 'INVITE' }), 'wrong')
  const dial = { method: 'INVITE', uri: 'sip:+4921112@example.org' }
  const lines = authorized(client, dial)
  assert.equal(verdict(server, lines, { method: 'INVITE', uri: 'sip:+88299@example.org' }), 'wrong')
  assert.equal(verdict(server, lines, { method: 'INVITE', uri: 'sip:+4921112@192.0.2.1:5060' }), 'right', 'a proxy may change the host')
  const other = makeClient({ username: 'bert' })
  other.challenged(unauthorized(server.challenges()))
  const claim = server.claim(authorized(other).map((line) => line.replace('bert', 'anna')))!
  assert.equal(server.check(claim, request, { password: 'a "secret"' }), 'wrong')
})

test('ignores other schemes and realms; throws 400 for unparsable credentials', () => {
  const { server } = makeServer()
  assert.equal(server.claim([]), undefined)
  assert.equal(server.claim(['NoOneKnowsThisScheme opaque-data=here']), undefined)
  assert.equal(server.claim(['Digest username="anna", realm="elsewhere", nonce="x", uri="y", response="z"']), undefined)
  assert.throws(() => server.claim(['Digest username="anna']), SipError)
})

test('rejects malformed credentials without throwing', () => {
  const { server } = makeServer()
  const client = makeClient()
  client.challenged(unauthorized(server.challenges()))
  const line = authorized(client)[0]!
  for (const [from, to] of [
    [/nc=\w+/, 'nc=zz'],
    [/nc=\w+/, 'nc=000000001'],
    [/, nc=\w+/, ''],
    [/qop=auth/, 'qop=auth-int'],
    [/algorithm=SHA-256/, 'algorithm=SHA-1'],
    [/response="\w+"/, 'response="ü"'],
    [/, response="\w+"/, ''],
    [/uri="[^"]*"/, 'uri="%%%"'],
    [/, nonce="[^"]*"/, ''],
  ] as const) {
    assert.equal(verdict(server, [line.replace(from, to)]), 'wrong', String(from))
  }
  assert.equal(verdict(server, [line]), 'right')
})

test('answers stale after 60 s and accepts a fresh nonce', () => {
  const { server, time } = makeServer()
  const client = makeClient()
  client.challenged(unauthorized(server.challenges()))
  time.now += 60_000
  assert.equal(verdict(server, authorized(client)), 'right')
  time.now += 1
  assert.equal(verdict(server, authorized(client)), 'stale')
  const challenges = server.challenges({ stale: true })
  assert.ok(challenges.every((each) => each.includes('stale=true')))
  assert.ok(client.challenged(unauthorized(challenges)))
  assert.equal(verdict(server, authorized(client)), 'right')
})

test('rejects captured credentials for another request or source', () => {
  const { server } = makeServer()
  const client = makeClient()
  client.challenged(unauthorized(server.challenges()))
  const [first, second, third] = [authorized(client), authorized(client), authorized(client)]
  assert.equal(verdict(server, third), 'right')
  assert.equal(verdict(server, first), 'right', 'requests may overtake each other')
  assert.equal(verdict(server, second), 'right')
  for (const used of [first, second, third]) assert.equal(verdict(server, used), 'stale')
})

test('rejects a count far behind even if unused', () => {
  const { server } = makeServer()
  const client = makeClient()
  client.challenged(unauthorized(server.challenges()))
  const lines = Array.from({ length: 70 }, () => authorized(client))
  assert.equal(verdict(server, lines[32]!), 'right')
  assert.equal(verdict(server, lines[1]!), 'right')
  assert.equal(verdict(server, lines[0]!), 'stale')
  assert.equal(verdict(server, lines[69]!), 'right')
  assert.equal(verdict(server, lines[33]!), 'stale')
  assert.equal(verdict(server, lines[68]!), 'right')
})

test('treats a foreign or future nonce as stale', () => {
  const { server, time } = makeServer()
  const forged = new DigestServer({ realm: 'offhook', key: Buffer.alloc(32, 8), now: () => time.now })
  for (const challenges of [forged.challenges(), ['Digest realm="offhook", nonce="abc", qop="auth"']]) {
    const client = makeClient()
    client.challenged(unauthorized(challenges))
    assert.equal(verdict(server, authorized(client)), 'stale')
  }
  const future = makeClient()
  future.challenged(unauthorized(server.challenges()))
  time.now -= 6_000
  assert.equal(verdict(server, authorized(future)), 'stale', 'made in the future')
})

test('accepts nonces of nodes with the same key despite clock skew', () => {
  const { server, time } = makeServer()
  const ahead = new DigestServer({ realm: 'offhook', key, now: () => time.now + 2_000 })
  const client = makeClient()
  client.challenged(unauthorized(ahead.challenges()))
  assert.equal(verdict(server, authorized(client)), 'right')
  assert.equal(verdict(ahead, authorized(client)), 'right')
})

test('bounds the nonce table and never accepts an evicted nonce again', () => {
  const { server, time } = makeServer({ nonces: 3 })
  const used: string[][] = []
  for (let i = 0; i < 10; i++) {
    time.now++
    const client = makeClient()
    client.challenged(unauthorized(server.challenges()))
    used.push(authorized(client))
    assert.equal(verdict(server, used[i]!), 'right')
  }
  for (const lines of used) assert.equal(verdict(server, lines), 'stale')
})

test('client: answers the expected realm only', () => {
  const { server } = makeServer()
  assert.ok(!makeClient({ realm: 'elsewhere' }).challenged(unauthorized(server.challenges())))
  const first = makeClient({ realm: undefined })
  assert.ok(first.challenged(unauthorized(server.challenges())))
  assert.ok(!first.challenged(unauthorized(['Digest realm="thief", nonce="x", qop="auth"'])), 'the first realm is the one')
  assert.ok(authorized(first).every((line) => line.includes('realm="offhook"')))
})

test('client: gives up after rejected credentials or without a supported algorithm', () => {
  const { server } = makeServer()
  const client = makeClient()
  const refused = unauthorized(server.challenges())
  assert.ok(client.challenged(refused))
  authorized(client)
  assert.ok(!client.challenged(refused), 'the same nonce again: it was the password')
  for (const challenge of [
    'Digest realm="offhook", nonce="x", qop="auth-int"',
    'Digest realm="offhook"',
    'Digest realm="offhook", nonce="x", algorithm=SHA-1',
  ]) {
    assert.ok(!makeClient().challenged(unauthorized([challenge])), challenge)
  }
  assert.ok(!makeClient().challenged(answer(401, [])))
})

test('client: answers both a proxy and a server', () => {
  const { server } = makeServer()
  const client = makeClient()
  assert.ok(client.challenged(unauthorized(server.challenges(), 407)))
  assert.ok(client.challenged(unauthorized(server.challenges(), 401)))
  assert.deepEqual(
    client.authorization('INVITE', 'sip:x').map(([name]) => name),
    ['Proxy-Authorization', 'Authorization'],
  )
})

test('takes the next nonce from Authentication-Info and echoes opaque', () => {
  const client = makeClient()
  client.challenged(unauthorized(['Digest realm="offhook", nonce="one", qop="auth", opaque="o,p"']))
  assert.match(authorized(client)[0]!, /nonce="one".*opaque="o,p".*nc=00000001/)
  assert.match(authorized(client)[0]!, /nonce="one".*nc=00000002/)
  client.succeeded(answer(200, [['Authentication-Info', 'nextnonce="two", qop=auth']]))
  assert.match(authorized(client)[0]!, /nonce="two".*nc=00000001/)
  client.succeeded(answer(200, [['Authentication-Info', 'nextnonce="']]))
  client.succeeded(answer(200, []))
  assert.match(authorized(client)[0]!, /nonce="two".*nc=00000002/)
})
