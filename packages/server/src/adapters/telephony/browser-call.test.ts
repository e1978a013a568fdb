// test: calls
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocket } from 'ws'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import { sine } from '#media/sound/tone.ts'
import { wavFile } from '#media/sound/wav.ts'
import { openPage } from '#test/machine/chromium.ts'
import { needs } from '#test/peers/debian.ts'
import { answerTo, listenFor, makeOffer } from '#test/phones/chromium-peer.ts'
import { openBrowser, withoutAddresses } from '#test/phones/browser-peer.ts'
import { Office, type OfficeOptions } from '#test/phones/telephone-office.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import type { Session } from '@offhook/sip/session/session.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingInvite } from '@offhook/sip/user-agent/user-agent-options.ts'
import { addressRules } from '../address-rules.ts'
import { realClock } from '../clock/clocks.ts'

/** A browser phone: SIP over a WebSocket, audio by a peer connection. */
const openBrowserPhone = async (t: TestContext, url: string, login: { username: string; password: string }) => {
  const socket = new WebSocket(url, 'sip')
  t.after(() => socket.terminate())
  await once(socket, 'open')
  const flow: Flow = { kind: 'ws', address: '127.0.0.1', port: 1, connection: 1 }
  const invited = Promise.withResolvers<IncomingInvite>()
  const agent = new UserAgent({
    clock: realClock(),
    product: 'Page',
    transport: { send: (message) => socket.send(message), localAddress: () => ({ host: 'a1b2c3.invalid', port: 5060 }) },
    resolve: async () => [flow],
    onInvite: (invite) => invited.resolve(invite),
  })
  t.after(() => agent.close(AbortSignal.timeout(1000)))
  socket.on('message', (data: Buffer) => agent.receive(data, flow))
  return { agent, digest: new DigestClient(login), from: `<sip:${login.username}@offhook>`, invited: invited.promise }
}

const formats = [
  { payloadType: 8, encoding: 'PCMA/8000' },
  { payloadType: 126, encoding: 'telephone-event/8000' },
]

/** An office whose phones may connect over the web server. */
const openWebOffice = async (t: TestContext, options: OfficeOptions = {}) => {
  const office = await Office.open(t, options)
  const server = createServer()
  server.on('upgrade', (request, socket, head) => office.telephony.takeUpgrade({ request, socket, head, ip: '127.0.0.1' }))
  server.listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return { office, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/sip` }
}

const answered = (session: (observer: { answered(sdp: string | undefined): void }) => Session) =>
  new Promise<{ session: Session; sdp: string }>((resolve) => {
    const opened: Session = session({ answered: (sdp) => setImmediate(() => resolve({ session: opened, sdp: sdp ?? '' })) })
  })

test('a browser calls and is held for a while', async (t) => {
  const { office, url } = await openWebOffice(t)
  const login = await office.login()
  const page = await openBrowserPhone(t, url, login)
  const audio = openBrowser(t, formats)
  const offer = withoutAddresses(await audio.describe('offer'))
  const draft = { uri: 'sip:+493023125099@offhook', from: page.from, digest: page.digest, sdp: offer }
  const offers: (string | undefined)[] = []
  const observer = {
    offered: (sdp: string | undefined) => {
      offers.push(sdp)
      return { sdp: offer.replace('a=sendrecv', 'a=recvonly') }
    },
  }
  const call = answered((notified) => page.agent.invite(draft, { ...observer, ...notified }))
  const { leg, origin } = await office.incoming()
  assert.equal(origin.kind, 'device')
  await leg.answer()
  const { sdp } = await call
  audio.connection.setRemoteDescription(sdp, 'answer')
  audio.talk(600)
  leg.audio.echo(true)
  await audio.hears(600)
  await leg.hold(true)
  assert.match(offers[0] ?? '', /a=sendonly/)
  assert.equal(leg.heldByPeer, false)
  await leg.hangUp('normal')
})

for (const [rule, exceptions, isTried] of [
  ['no packet is sent to addresses that are not public', [], false],
  ['but where the operator allows it', ['127.0.0.1'], true],
] as const) {
  test(`candidates of a browser: ${rule}`, async (t) => {
    const rules = addressRules([...exceptions])
    const { office, url } = await openWebOffice(t, { telephony: { mayReach: (address, port) => rules.allowsAddress(address, port) } })
    const page = await openBrowserPhone(t, url, await office.login())
    const audio = openBrowser(t, formats)
    const bystander = createSocket('udp4').bind(0, '127.0.0.1')
    t.after(() => bystander.close())
    await once(bystander, 'listening')
    const tried = Promise.withResolvers<void>()
    let packets = 0
    bystander.on('message', () => {
      packets++
      tried.resolve()
    })
    const candidate = `a=candidate:7 1 UDP 2122317823 127.0.0.1 ${bystander.address().port} typ host\r\n`
    const offer = withoutAddresses(await audio.describe('offer')) + candidate
    const draft = { uri: 'sip:+493023125099@offhook', from: page.from, digest: page.digest, sdp: offer }
    const call = answered((notified) => page.agent.invite(draft, notified))
    const { leg } = await office.incoming()
    await leg.answer()
    const { sdp } = await call
    if (isTried) await tried.promise
    audio.connection.setRemoteDescription(sdp, 'answer')
    audio.talk(600)
    leg.audio.echo(true)
    await audio.hears(600)
    assert.equal(packets > 0, isTried)
    await leg.hangUp('normal')
  })
}

test('calls a browser over its registered connection and receives DTMF', async (t) => {
  const { office, url } = await openWebOffice(t)
  const login = await office.login()
  const page = await openBrowserPhone(t, url, login)
  const registered = await page.agent.request({
    method: 'REGISTER',
    uri: 'sip:offhook',
    from: page.from,
    to: page.from,
    contactUser: 'x',
    digest: page.digest,
    headers: [['Expires', '600']],
  })
  assert.equal(registered.status, 200)
  const [leg] = await office.dialDevice(login.deviceId)
  const { session, sdp } = await page.invited
  assert.equal(sdp, undefined, 'the offer is left to the browser')
  const audio = openBrowser(t, formats)
  session.observe({ acknowledged: (answer) => audio.connection.setRemoteDescription(answer, 'answer') })
  await session.accept({ sdp: withoutAddresses(await audio.describe('offer')) })
  assert.equal(leg?.answered, true)
  audio.talk(900)
  leg.audio.echo(true)
  await audio.hears(900)
  await leg.audio.sendDtmf('15#')
  await audio.hears(900)
  assert.deepEqual(audio.keys, ['1', '5', '#'])
  await leg.hangUp('normal')
})

test('resumes the call of a browser behind our proxy in another process', async (t) => {
  if (!(await needs(t, 'chromium'))) return
  const [first, second] = [await Office.open(t), await Office.open(t)]
  const page = await openPage(t)
  const { phone } = await first.phone({ registered: false }) // as forwarded by the proxy: over UDP
  const call = phone.call('+493023125099', { sdp: await page.evaluate<string>(makeOffer('audio/opus')) })
  const { leg } = await first.incoming()
  await leg.answer()
  const { body } = await call.answered
  await page.evaluate(`connection.setRemoteDescription({ type: 'answer', sdp: ${JSON.stringify(Buffer.from(body).toString())} })`)
  leg.audio.echo(true)
  assert.equal(typeof (await page.evaluate(listenFor(440))), 'number')
  call.session.observe({ offered: async (offer = '') => ({ sdp: await page.evaluate<string>(answerTo(offer)) }) })
  const saved = JSON.parse(JSON.stringify(leg.dialog())) as SavedDialog
  leg.abandon()
  const [resumed] = await second.telephony.resume([saved])
  const again = resumed?.leg ?? assert.fail(JSON.stringify(resumed))
  again.audio.play({ wav: wavFile(sine([1700], 5_000, 8000), 8000) }, { loop: true })
  assert.equal(typeof (await page.evaluate(listenFor(1700))), 'number')
  await again.hangUp('normal')
  assert.equal((await call.session.ended).by, 'peer')
})
