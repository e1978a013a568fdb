import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { headerOf, SipNetwork } from '../testing/sip-network.ts'
import { SipError } from '../grammar/scan.ts'
import type { Flow } from '../transport/transport.ts'
import type { IncomingRequest } from '../request/incoming-request.ts'
import {
  dialogPackage,
  notifyDialogs,
  type WatchedDialog,
  type Telling,
  messageSummary,
  notifyMessages,
  readSubscribe,
} from './event-packages.ts'
import type { Subscription } from './subscriptions.ts'

const server = '10.0.0.1'
const phoneFlow = { kind: 'udp', address: '10.0.0.2', port: 5060 } as const

/** A notifier with a given state, and a phone that subscribes and answers as scripted. */
class SubscriptionFixture {
  readonly net: SipNetwork
  readonly ended: string[] = []
  readonly faults: unknown[] = []
  dialogs: WatchedDialog[] = []
  read: () => Promise<Telling | undefined> = async () => notifyDialogs('sip:e1@offhook.example', this.dialogs)
  answer = '200 OK'
  flow: Flow = phoneFlow
  subscription: Subscription | undefined
  readonly agent
  readonly #phone
  #answered = 0
  #tag = ''

  constructor(t: TestContext) {
    this.net = new SipNetwork(t)
    this.#phone = this.net.raw('10.0.0.2')
    this.agent = this.net.agent(server, {
      methods: ['SUBSCRIBE'],
      onRequest: (incoming) => this.#onRequest(incoming),
      onFault: (error) => void this.faults.push(error),
    })
  }

  #onRequest(incoming: IncomingRequest): void {
    const { subscriptions } = this.agent.ua
    try {
      const { event, seconds, package: wanted } = readSubscribe(incoming.request, [dialogPackage, messageSummary])
      const known = subscriptions.of(incoming.request)
      if (known) return subscriptions.refresh(incoming, seconds, known, this.flow)
      if (incoming.request.toTag !== undefined) return incoming.respond(481)
      const { contentType } = wanted
      const onEnd = (): void => void this.ended.push(event)
      this.subscription = subscriptions.accept(incoming, seconds, { event, contentType, flow: this.flow, read: () => this.read(), onEnd })
    } catch (error) {
      if (!(error instanceof SipError)) throw error
      incoming.respond(error.status)
    }
  }

  /** Response status of a SUBSCRIBE. Inside the dialog if there is one. */
  async subscribe(cseq: number, headers: readonly string[], tag = this.#tag): Promise<number> {
    const lines = [
      `SUBSCRIBE sip:e1@${server} SIP/2.0`,
      `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bK-${cseq}`,
      'From: <sip:e0@offhook.example>;tag=phone',
      `To: <sip:e1@offhook.example>${tag === '' ? '' : `;tag=${tag}`}`,
      'Call-ID: lamps',
      `CSeq: ${cseq} SUBSCRIBE`,
      'Contact: <sip:e0@10.0.0.2>',
      'Max-Forwards: 70',
      ...headers,
      'Content-Length: 0',
      '',
      '',
    ]
    this.#phone.send(server, lines.join('\n'))
    await this.pass(5)
    const reply = this.net.passed.findLast(({ what }) => what.endsWith(' SUBSCRIBE'))?.text
    this.#tag = /;tag=(\w+)/.exec(headerOf(reply, 'To'))?.[1] ?? this.#tag
    return Number(reply?.slice(8, 11))
  }

  /** Advances the time while the phone answers NOTIFYs. */
  async pass(ms: number): Promise<void> {
    const step = Math.max(5, ms / 100)
    for (let passed = 0; passed < ms; passed += step) {
      await this.net.clock.advance(step)
      const requests = this.#phone.received.filter((text) => text.startsWith('NOTIFY'))
      for (const request of requests.slice(this.#answered)) this.#reply(request)
      this.#answered = requests.length
    }
    await this.net.clock.advance(5)
  }

  #reply(notify: string): void {
    if (this.answer === '') return
    const copied = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(notify, name)}`)
    this.#phone.send(server, [`SIP/2.0 ${this.answer}`, ...copied, 'Content-Length: 0', '', ''].join('\n'))
  }

  /** NOTIFYs received by the phone, without retransmissions. */
  get told(): string[] {
    const notifies = this.net.passed.filter(({ what }) => what === 'NOTIFY').map(({ text }) => text)
    return [...new Map(notifies.map((text) => [headerOf(text, 'CSeq'), text])).values()]
  }

  get states(): (string | undefined)[] {
    return this.told.map((text) => /<state>(\w+)<\/state>/.exec(text)?.[1])
  }
}

const event = 'Event: dialog;id=7'
const talking: WatchedDialog = { id: 'a', direction: 'initiator', state: 'confirmed' }

test('notifies a subscriber immediately, then of every change, in order, with rising versions', async (t) => {
  const fixture = new SubscriptionFixture(t)
  assert.equal(await fixture.subscribe(1, [event, 'Expires: 600', 'Accept: application/dialog-info+xml']), 200)
  const reply = fixture.net.passed.find(({ what }) => what === '200 SUBSCRIBE')?.text
  assert.equal(headerOf(reply, 'Expires'), '600')
  assert.match(headerOf(reply, 'Contact'), /^<sip:e1@10\.0\.0\.1:5060>$/)
  await fixture.pass(2_000)
  const [first] = fixture.told
  assert.equal(headerOf(first, 'Event'), 'dialog;id=7')
  assert.equal(headerOf(first, 'Subscription-State'), 'active;expires=600')
  assert.equal(headerOf(first, 'Content-Type'), 'application/dialog-info+xml')
  assert.match(first ?? '', /^NOTIFY sip:e0@10\.0\.0\.2 SIP/)
  assert.match(first ?? '', /version="0" state="full" entity="sip:e1@offhook\.example"/)
  fixture.dialogs = [talking]
  fixture.subscription?.changed()
  await fixture.pass(100)
  assert.match(fixture.told[1] ?? '', /version="1".*\r\n<dialog id="a" direction="initiator"><state>confirmed/)
  fixture.subscription?.changed()
  await fixture.pass(2_000)
  assert.deepEqual(fixture.states, ['terminated', 'confirmed'], 'what has not changed is not told')
})

test('sends at most one NOTIFY per second, with the last state', async (t) => {
  const fixture = new SubscriptionFixture(t)
  await fixture.subscribe(1, [event, 'Expires: 600'])
  await fixture.pass(20)
  for (const state of ['early', 'confirmed', 'early'] as const) {
    fixture.dialogs = [{ ...talking, state }]
    fixture.subscription?.changed()
    await fixture.pass(100)
  }
  assert.equal(fixture.told.length, 1)
  await fixture.pass(1_000)
  assert.deepEqual(fixture.states, ['terminated', 'early'])
  fixture.dialogs = [talking]
  fixture.subscription?.changed()
  fixture.dialogs = [{ ...talking, state: 'early' }]
  await fixture.pass(2_000)
  assert.equal(fixture.told.length, 2, 'who is back where it was has not changed')
})

test('refreshes a subscription, ends it on request, and lets it expire', async (t) => {
  const fixture = new SubscriptionFixture(t)
  await fixture.subscribe(1, [event, 'Expires: 60'])
  await fixture.pass(50_000)
  assert.equal(await fixture.subscribe(2, [event, 'Expires: 60']), 200)
  await fixture.pass(50_000)
  assert.equal(fixture.ended.length, 0)
  assert.equal(fixture.told.length, 2, 'each time it is told how it stands')
  await fixture.pass(20_000)
  assert.deepEqual(fixture.ended, ['dialog;id=7'])
  assert.equal(headerOf(fixture.told[2], 'Subscription-State'), 'terminated;reason=timeout')
  assert.equal(await fixture.subscribe(3, [event, 'Expires: 60']), 481)

  assert.equal(await fixture.subscribe(4, [event, 'Expires: 60'], ''), 200)
  await fixture.pass(20)
  assert.equal(await fixture.subscribe(5, [event, 'Expires: 0']), 200)
  await fixture.pass(20)
  assert.equal(fixture.ended.length, 2)
  assert.equal(headerOf(fixture.told.at(-1), 'Subscription-State'), 'terminated;reason=timeout')
  assert.equal(fixture.agent.ua.subscriptions.size, 0)
})

test('fetches the state once with Expires: 0', async (t) => {
  const fixture = new SubscriptionFixture(t)
  assert.equal(await fixture.subscribe(1, [event, 'Expires: 0']), 200)
  await fixture.pass(20)
  assert.equal(fixture.told.length, 1)
  assert.equal(headerOf(fixture.told[0], 'Subscription-State'), 'terminated;reason=timeout')
  assert.match(fixture.told[0] ?? '', /<dialog-info/)
  assert.equal(fixture.agent.ua.subscriptions.size, 0)
})

test("rejects an unknown package, too short an interval and an Accept without the package's type", async (t) => {
  const fixture = new SubscriptionFixture(t)
  assert.equal(await fixture.subscribe(1, ['Event: presence']), 489)
  assert.equal(await fixture.subscribe(2, []), 489)
  assert.equal(await fixture.subscribe(3, [event, 'Expires: 59']), 423)
  assert.equal(await fixture.subscribe(4, [event, 'Accept: text/plain']), 406)
  assert.equal(await fixture.subscribe(5, [event, 'Expires: soon']), 400)
  assert.equal(await fixture.subscribe(6, [event, 'Expires: 99999', 'Accept: text/plain, application/*'], ''), 200)
  assert.equal(headerOf(fixture.net.passed.findLast(({ what }) => what === '200 SUBSCRIBE')?.text, 'Expires'), '3600')
})

test('ends the subscription when a phone rejects or does not answer a NOTIFY', async (t) => {
  for (const answer of ['481 Subscription does not exist', '']) {
    const fixture = new SubscriptionFixture(t)
    fixture.answer = answer
    await fixture.subscribe(1, [event, 'Expires: 600'])
    await fixture.pass(40_000)
    assert.deepEqual(fixture.ended, ['dialog;id=7'], answer)
    fixture.dialogs = [talking]
    fixture.subscription?.changed()
    await fixture.pass(2_000)
    assert.equal(fixture.told.length, 1)
  }
})

test('drops the subscriptions of a closed connection', async (t) => {
  const fixture = new SubscriptionFixture(t)
  await fixture.subscribe(1, [event, 'Expires: 600'])
  await fixture.pass(20)
  fixture.flow = { ...phoneFlow, kind: 'tcp', connection: 3 }
  await fixture.subscribe(2, [event, 'Expires: 600'])
  fixture.agent.ua.connectionClosed(4)
  assert.equal(fixture.ended.length, 0)
  fixture.agent.ua.connectionClosed(3)
  assert.equal(fixture.ended.length, 1)
  assert.equal(fixture.agent.ua.subscriptions.size, 0)
})

test('retries a failed read of the state; ends the subscription when the state may no longer be shown', async (t) => {
  const fixture = new SubscriptionFixture(t)
  await fixture.subscribe(1, [event, 'Expires: 600'])
  await fixture.pass(2_000)
  const { read } = fixture
  fixture.read = () => Promise.reject(new Error('the store is away'))
  fixture.dialogs = [talking]
  fixture.subscription?.changed()
  await fixture.pass(4_000)
  assert.equal(fixture.faults.length, 1)
  fixture.read = read
  await fixture.pass(2_000)
  assert.deepEqual(fixture.states, ['terminated', 'confirmed'])
  fixture.read = async () => undefined
  fixture.subscription?.changed()
  await fixture.pass(1_000)
  assert.equal(headerOf(fixture.told.at(-1), 'Subscription-State'), 'terminated;reason=rejected')
  assert.deepEqual(fixture.ended, ['dialog;id=7'])
})

test('resumes a subscription in another process with higher CSeq in the same dialog', async (t) => {
  const fixture = new SubscriptionFixture(t)
  await fixture.subscribe(1, [event, 'Expires: 600'])
  await fixture.pass(20)
  const { subscriptions } = fixture.agent.ua
  const saved = JSON.parse(JSON.stringify(subscriptions.save(fixture.subscription!))) as ReturnType<typeof subscriptions.save>
  subscriptions.close()
  assert.equal(fixture.ended.length, 0, 'the end is not reported')
  fixture.dialogs = [talking]
  const parts = { contentType: dialogPackage.contentType, read: () => fixture.read(), onEnd: () => void fixture.ended.push('resumed') }
  fixture.subscription = subscriptions.resume(saved, parts)
  await fixture.pass(20)
  const [before, after] = fixture.told
  for (const name of ['Call-ID', 'From', 'To', 'Event']) assert.equal(headerOf(after, name), headerOf(before, name), name)
  assert.ok(Number.parseInt(headerOf(after, 'CSeq')) > Number.parseInt(headerOf(before, 'CSeq')) + 3_600)
  assert.match(after ?? '', /version="\d{4}"[^]*confirmed/)
  assert.equal(await fixture.subscribe(2, [event, 'Expires: 600']), 200, 'and the phone refreshes it')
})

test('formats a message summary', () => {
  const account = 'sip:50000@offhook.example'
  assert.equal(
    notifyMessages({ fresh: 2, heard: 8, account })(0),
    `Messages-Waiting: yes\r\nMessage-Account: ${account}\r\nVoice-Message: 2/8 (0/0)\r\n`,
  )
  assert.match(notifyMessages({ fresh: 0, heard: 8, account })(0), /^Messages-Waiting: no\r\n/)
})

test('escapes the entity in the XML', () => {
  assert.match(notifyDialogs('sip:"<x>&@h', [])(3), /version="3" state="full" entity="sip:&quot;&lt;x&gt;&amp;@h"/)
})
