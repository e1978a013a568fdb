import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { connect } from '../testing/sip-call.ts'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import type { UserAgentOptions } from './user-agent-options.ts'

let branches = 0

interface Parts {
  uri?: string
  via?: string
  to?: string
  from?: string
  callId?: string
  cseq?: number
  headers?: string[]
  body?: string
}

const message = (method: string, parts: Parts = {}): string => {
  const { body = '', headers = [] } = parts
  return [
    `${method} ${parts.uri ?? 'sip:bob@10.0.0.2'} SIP/2.0`,
    `Via: ${parts.via ?? `SIP/2.0/UDP 10.0.0.1;branch=z9hG4bKr${++branches}`}`,
    `From: ${parts.from ?? '<sip:alice@10.0.0.1>;tag=a'}`,
    `To: ${parts.to ?? '<sip:bob@10.0.0.2>'}`,
    `Call-ID: ${parts.callId ?? `raw${branches}`}`,
    `CSeq: ${parts.cseq ?? 1} ${method}`,
    'Contact: <sip:alice@10.0.0.1>',
    ...headers,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

/** Sends messages to a user agent and returns its responses. */
const asking = (t: TestContext, options: Partial<UserAgentOptions> = {}) => {
  const net = new SipNetwork(t)
  const bob = net.agent('10.0.0.2', options)
  const peer = net.raw('10.0.0.1')
  const ask = async (text: string): Promise<string | undefined> => {
    const before = peer.received.length
    peer.send('10.0.0.2', text)
    await net.clock.advance(5)
    return peer.received[before]
  }
  const status = async (text: string): Promise<number> => Number((await ask(text))?.slice(8, 11) ?? 0)
  return { net, bob, peer, ask, status }
}

test('answers 501 to unknown methods and 405 to those without a handler, both with Allow', async (t) => {
  const { ask, status } = asking(t)
  assert.match((await ask(message('NEWMETHOD'))) ?? '', /^SIP\/2.0 501 [^]*^Allow: INVITE, ACK, /m)
  assert.match((await ask(message('REGISTER'))) ?? '', /^SIP\/2.0 405 [^]*^Allow: INVITE, ACK, /m)
  assert.equal(await status(message('SUBSCRIBE')), 405)
})

test('answers 420 to an unsupported extension and names it', async (t) => {
  const { ask, status } = asking(t, { extensions: ['path'] })
  assert.equal(
    headerOf(await ask(message('INVITE', { headers: ['Require: 100rel, magic', 'Require: Timer,more'] })), 'Unsupported'),
    'magic, more',
  )
  assert.equal(await status(message('OPTIONS', { headers: ['Require: path, replaces'] })), 200)
})

test('answers 415 to unknown bodies unless they are optional', async (t) => {
  const { ask, status, bob } = asking(t)
  const odd = await ask(message('INVITE', { headers: ['Content-Type: application/odd'], body: 'x' }))
  assert.match(odd ?? '', /^SIP\/2.0 415 /)
  assert.equal(headerOf(odd, 'Accept'), 'application/sdp')
  assert.equal(await status(message('INVITE', { headers: ['Content-Type: application/sdp', 'Content-Encoding: gzip'], body: 'x' })), 415)
  assert.equal(
    await status(
      message('INVITE', { headers: ['Content-Type: application/odd', 'Content-Disposition: render;handling=optional'], body: 'x' }),
    ),
    0,
  )
  assert.equal(bob.invites.length, 1)
  assert.equal(bob.invites[0]?.sdp, undefined)
})

test('finds SDP in a multipart body', async (t) => {
  const { ask, bob } = asking(t)
  const body = '--b\r\nContent-Type: application/isup\r\n\r\nxyz\r\n--b\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--b--\r\n'
  await ask(message('INVITE', { headers: ['Content-Type: multipart/mixed;boundary=b'], body }))
  assert.equal(bob.invites[0]?.sdp, 'v=0')
})

test('answers 406 to a caller that does not accept SDP', async (t) => {
  const { status } = asking(t)
  assert.equal(await status(message('INVITE', { headers: ['Accept: text/plain'] })), 406)
  for (const accept of ['application/sdp;level=1, text/plain', 'application/*', '*/*'])
    assert.equal(await status(message('INVITE', { headers: [`Accept: ${accept}`] })), 0)
})

test('answers 416 to unknown schemes, 505 to other versions, 400 to malformed messages, and reports each', async (t) => {
  const broken: number[] = []
  const { status, peer } = asking(t, { onBroken: (_from, given) => void broken.push(given) })
  assert.equal(await status(message('OPTIONS', { uri: 'mailto:bob@example.org' })), 416)
  assert.equal(await status(message('OPTIONS').replace('SIP/2.0\r\n', 'SIP/3.0\r\n')), 505)
  assert.equal(await status(message('OPTIONS', { headers: ['Max-Forwards: many'] })), 400)
  assert.equal(await status(message('ACK', { headers: ['Max-Forwards: many'] })), 0)
  assert.equal(await status('nonsense\r\n\r\n'), 0)
  assert.equal(await status('\r\n\r\n'), 0)
  assert.equal(await status(message('OPTIONS', { body: 'x'.repeat(20_000) })), 513)
  assert.deepEqual(broken, [416, 505, 400, 0, 0, 513])
  const tags = peer.received.map((text) => /;tag=(\S+)/.exec(headerOf(text, 'To'))?.[1])
  assert.equal(new Set(tags).size, 1, 'answers without a transaction always have the same tag')
})

test('answers 481 to requests that need a dialog', async (t) => {
  const { status } = asking(t)
  for (const method of ['BYE', 'PRACK', 'UPDATE', 'INFO', 'NOTIFY', 'REFER', 'CANCEL'])
    assert.equal(await status(message(method)), 481, method)
  assert.equal(await status(message('INVITE', { to: '<sip:bob@10.0.0.2>;tag=unknown' })), 481)
  assert.equal(await status(message('OPTIONS', { to: '<sip:bob@10.0.0.2>;tag=unknown' })), 481)
  assert.equal(await status(message('ACK', { to: '<sip:bob@10.0.0.2>;tag=unknown' })), 0)
})

test('answers OPTIONS with our capabilities, or by the handler', async (t) => {
  const { ask } = asking(t)
  const plain = await ask(message('OPTIONS', { headers: ['Max-Forwards: 0'] }))
  assert.match(plain ?? '', /^SIP\/2.0 200 /)
  assert.match(headerOf(plain, 'Allow'), /UPDATE/)
  assert.equal(headerOf(plain, 'Supported'), '100rel, timer, replaces, norefersub')
  const drained = asking(t, { onRequest: (incoming) => incoming.respond(503, { headers: [['Retry-After', '60']] }) })
  assert.equal(await drained.status(message('OPTIONS')), 503)
})

test('answers 483 to an INVITE without hops left', async (t) => {
  const { status } = asking(t)
  assert.equal(await status(message('INVITE', { headers: ['Max-Forwards: 0'] })), 483)
})

test('answers 482 to a merged request and to a loop', async (t) => {
  const { status, bob } = asking(t, { isLoop: (request) => request.header('x-hops') !== undefined })
  assert.equal(await status(message('INVITE', { callId: 'same' })), 0)
  assert.equal(await status(message('INVITE', { callId: 'same' })), 482)
  assert.equal(await status(message('INVITE', { callId: 'same', cseq: 2 })), 0)
  assert.equal(await status(message('INVITE', { headers: ['X-Hops: 1'] })), 482)
  assert.equal(bob.invites.length, 2)
})

test('answers a rejected request immediately, every time, without keeping state', async (t) => {
  const challenge = { status: 401, headers: [['WWW-Authenticate', 'Digest realm="x"']] } as const
  const asked: string[] = []
  const { net, bob, peer, ask, status } = asking(t, {
    admit: (request, from) => {
      asked.push(`${request.method} ${from.address}`)
      return request.header('authorization') === undefined ? challenge : undefined
    },
  })
  const via = 'SIP/2.0/UDP 10.0.0.1;branch=z9hG4bKadmit'
  const outsider = message('INVITE', { via, callId: 'stranger' })
  const first = await ask(outsider)
  assert.match(first ?? '', /^SIP\/2.0 401 [^]*^WWW-Authenticate: Digest realm="x"/m)
  assert.equal(await ask(outsider), first)
  assert.equal(await status(message('ACK', { via, callId: 'stranger', to: headerOf(first, 'To') })), 0)
  assert.equal(await status(message('CANCEL', { via, callId: 'stranger' })), 481)
  assert.deepEqual([bob.ua.load, net.clock.pending(), bob.invites.length], [{ transactions: 0, sessions: 0 }, 0, 0])
  assert.equal(await status(message('INVITE', { headers: ['Require: magic'] })), 420, 'what cannot be understood comes first')
  assert.equal(await status(message('INVITE', { callId: 'stranger', cseq: 2, headers: ['Authorization: Digest x'] })), 0)
  assert.equal(bob.invites.length, 1)
  bob.invites[0]?.session.reject(486)
  await net.clock.advance(5)
  assert.deepEqual(asked, ['INVITE 10.0.0.1', 'INVITE 10.0.0.1', 'INVITE 10.0.0.1'])
  assert.equal(peer.statuses().at(-1), 486)
})

test('answers 500 and reports the fault when `admit` throws', async (t) => {
  const faults: unknown[] = []
  const fault = new Error('oh')
  const { status, bob } = asking(t, {
    admit: () => {
      throw fault
    },
    onFault: (error) => void faults.push(error),
  })
  assert.equal(await status(message('INVITE')), 500)
  assert.deepEqual([faults, bob.ua.load.transactions], [[fault], 0])
})

test('answers 503 with Retry-After beyond the limits; sessions continue', async (t) => {
  const { net, bob, ask, status } = asking(t, { limits: { transactions: 4, sessions: 2 } })
  const alice = net.agent('10.0.0.3')
  const { outgoing, incoming } = await connect(net, alice, bob)
  assert.equal(await status(message('OPTIONS')), 200)
  assert.equal(await status(message('INVITE')), 0)
  const crowded = await ask(message('INVITE'))
  assert.match(crowded ?? '', /^SIP\/2.0 503 /)
  assert.equal(headerOf(crowded, 'Retry-After'), '10')
  assert.equal(await status(message('OPTIONS')), 200)
  assert.equal(bob.ua.load.transactions, 4)
  assert.match((await ask(message('OPTIONS'))) ?? '', /^SIP\/2.0 503 /)
  assert.equal(bob.ua.load.transactions, 4, 'that was answered without a transaction')
  const info = outgoing.info('text/plain', 'inside')
  await net.clock.advance(10)
  assert.equal(await info, 200)
  assert.equal(incoming.state, 'confirmed')
})

test('in-dialog requests: checks order (500), events, INFO, OPTIONS and disallowed methods', async (t) => {
  const net = new SipNetwork(t)
  const [alice, bob] = [net.agent('10.0.0.1'), net.agent('10.0.0.2')]
  const { callee, outgoing } = await connect(net, alice, bob)
  const ask = async (method: string): Promise<number> => {
    const response = outgoing.request(method, { contentType: 'text/plain', body: 'hello' })
    await net.clock.advance(20)
    return (await response).status
  }
  assert.equal(await ask('INFO'), 200)
  assert.deepEqual(callee.told, ['info hello'])
  callee.infoStatus = 469
  assert.equal(await ask('INFO'), 469)
  assert.equal(await ask('OPTIONS'), 200)
  assert.equal(await ask('MESSAGE'), 405)
  assert.equal(await ask('STRANGE'), 501)
  const old = net.passed.find(({ what }) => what === 'INFO')!.text.replace(/branch=\S+/, 'branch=z9hG4bKold')
  net.transport(alice.address).send(Buffer.from(old), { kind: 'udp', address: bob.address, port: 5060 }, () => {})
  await net.clock.advance(20)
  assert.equal(net.passed.at(-1)?.what, '500 INFO')
})

test('answers 500 and reports the fault when a handler throws', async (t) => {
  const faults: unknown[] = []
  const mistake = (): never => {
    throw new Error('a mistake of the handler')
  }
  const { status, bob } = asking(t, { onInvite: mistake, onRequest: mistake, onFault: (error) => void faults.push(error) })
  assert.equal(await status(message('INVITE')), 500)
  assert.equal(await status(message('OPTIONS')), 500)
  assert.equal(faults.length, 2)
  assert.equal(bob.ua.load.sessions, 0)
})

test('sends responses to the source of the request, with received and rport in the Via', async (t) => {
  const { ask } = asking(t)
  const natted = await ask(message('OPTIONS', { via: 'SIP/2.0/UDP 192.168.1.7:5070;rport;branch=z9hG4bKn1' }))
  assert.equal(headerOf(natted, 'Via'), 'SIP/2.0/UDP 192.168.1.7:5070;rport=5060;branch=z9hG4bKn1;received=10.0.0.1')
  const plain = await ask(message('OPTIONS', { via: 'SIP/2.0/UDP 10.0.0.1;branch=z9hG4bKn2' }))
  assert.equal(headerOf(plain, 'Via'), 'SIP/2.0/UDP 10.0.0.1;branch=z9hG4bKn2')
})

test('repeats the response to a repeated request and handles it once', async (t) => {
  const { ask, bob, net } = asking(t)
  const options = message('OPTIONS')
  assert.equal(await ask(options), await ask(options))
  const invite = message('INVITE')
  await ask(invite)
  bob.invites[0]?.session.reject(486)
  assert.match((await ask(invite)) ?? '', /^SIP\/2.0 486 /)
  await net.clock.advance(100)
  assert.equal(bob.invites.length, 1)
})

test('drops responses without a request', async (t) => {
  const { ask } = asking(t)
  const stray =
    'SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 10.0.0.2;branch=z9hG4bKstray\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>;tag=2\r\nCall-ID: s\r\nCSeq: 1 INVITE\r\nContent-Length: 0\r\n\r\n'
  assert.equal(await ask(stray), undefined)
})

test('accepts an RFC 2543 caller: no branch, no tag, no Contact', async (t) => {
  const { ask, bob, peer, net } = asking(t)
  const old = message('INVITE', { via: 'SIP/2.0/UDP 10.0.0.1', from: '<sip:alice@10.0.0.1>', callId: 'old' }).replace(
    'Contact: <sip:alice@10.0.0.1>\r\n',
    '',
  )
  await ask(old)
  const accepted = bob.invites[0]?.session.accept({ sdp: 'offer' })
  await net.clock.advance(5)
  const tag = /;tag=(\S+)/.exec(headerOf(peer.received.at(-1), 'To'))?.[1]
  const body = 'answer'
  await ask(
    message('ACK', {
      via: 'SIP/2.0/UDP 10.0.0.1',
      from: '<sip:alice@10.0.0.1>',
      to: `<sip:bob@10.0.0.2>;tag=${tag}`,
      callId: 'old',
      headers: ['Content-Type: application/sdp'],
      body,
    }),
  )
  assert.equal(await accepted, true)
  void bob.invites[0]?.session.end()
  await net.clock.advance(5)
  assert.match(peer.received.at(-1) ?? '', /^BYE sip:alice@10\.0\.0\.1 [^]*^To: <sip:alice@10\.0\.0\.1>\r$/m)
})
