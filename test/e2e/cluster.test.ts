import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { assistant, listen, ListenEnded, watchTimeline } from '@offhook/sdk'
import { closedWith } from '#test/http/loopback-server.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { startBaresip } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { startDispatcher } from '#test/peers/kamailio.ts'
import { until } from '#test/machine/peer-process.ts'
import { startNats } from '#test/peers/nats-server.ts'
import { startRtpengine } from '#test/peers/rtpengine.ts'
import { sippSucceeds } from '#test/peers/sipp.ts'
import { loud, secondsOf } from '#test/sound/tones.ts'
import { readWav, writeTone } from '#test/sound/wav.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const [tone, assistantTone] = [600, 1000]

/** Two processes on one database; the proxy in front of them is their carrier. */
const startCluster = async (t: TestContext, settings: Record<string, string> = {}): Promise<[Exchange, Exchange]> => {
  const shared = { DATABASE_URL: await freshPostgres(), OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), ...settings }
  const first = await startExchange(t, shared)
  await first.newTrunk('127.0.0.1')
  const second = await startExchange(t, { ...shared, OFFHOOK_DATA: first.data })
  return [first, second]
}

test('spreads calls over two processes, and continues when one is killed', async (t) => {
  if (!(await needs(t, 'kamailio', 'sipp'))) return
  const [first, second] = await startCluster(t)
  const proxy = await startDispatcher(t, { destinations: [first.sip, second.sip] })
  const call = { scenario: 'uac', target: proxy.address, service: first.demoNumber, more: ['-d', '300'] }
  const result = await sippSucceeds(t, { ...call, calls: 20, rate: 20 })
  const answeredBy = [first, second].map(({ sip }) => [...result.messages.matchAll(new RegExp(`^Contact:.*${sip}`, 'gm'))].length)
  assert.ok(Math.min(...answeredBy) >= 5, `not in turns: ${answeredBy.join(' and ')}`)

  second.program.child.kill('SIGKILL')
  await second.program.ended
  await sippSucceeds(t, { ...call, calls: 10, rate: 20 })
})

test('drains one process from the other: keeps its call, routes new ones to the first, and puts it back', async (t) => {
  if (!(await needs(t, 'kamailio', 'sipp'))) return
  const [first, second] = await startCluster(t)
  const { operator } = first
  const stateOfSecond = async () => (await operator.listNodes()).items.find(({ sip }) => sip === `sip:${second.sip}`)
  const nodeId = (await stateOfSecond())?.id ?? ''
  const reaches = (state: string, calls: number) =>
    until(state, async () => {
      const node = await stateOfSecond()
      return node?.state === state && node.calls === calls
    })
  const call = { scenario: 'uac', service: first.demoNumber }
  const caller = await SipPhone.open(t, { server: second.sip })
  const long = caller.call(first.demoNumber)
  await reaches('RUNNING', 1)

  await operator.drainNode({ nodeId }, { value: true })
  await reaches('DRAINING', 1)
  await until('it has heard of it', async () => (await ticketStatus(second)) === 503)
  const proxy = await startDispatcher(t, { destinations: [first.sip, second.sip] })
  const { messages } = await sippSucceeds(t, { ...call, target: proxy.address, calls: 10, rate: 20, more: ['-d', '300'] })
  assert.doesNotMatch(messages, new RegExp(`^Contact:.*${second.sip}`, 'm'), 'all were taken by the first')
  assert.equal(long.session.state, 'confirmed')
  await long.session.end()
  await reaches('DRAINED', 0)

  await operator.drainNode({ nodeId }, { value: false })
  await reaches('RUNNING', 0)
  await sippSucceeds(t, { ...call, target: second.sip, calls: 1, rate: 1, more: ['-d', '300'] })
})

interface Visitor {
  http: string
  token: string
  flowId: string
}

/** Timeline events of a flow's calls, from one of the processes. */
const startWatching = async (t: TestContext, { http: baseUrl, token, flowId }: Visitor) => {
  const [ready, stop] = [Promise.withResolvers<void>(), new AbortController()]
  t.after(() => stop.abort())
  const notified: TimelineEntry[] = []
  const watch = async (): Promise<void> => {
    const onState = (): void => ready.resolve()
    for await (const entry of watchTimeline({ baseUrl, token, flowId, signal: stop.signal, onState })) notified.push(entry)
  }
  const over = watch()
  await ready.promise
  return { told: notified, over, stop }
}

/** Listener at one of the processes, until a newer one takes over. */
const startListener = async (t: TestContext, { http: baseUrl, token, flowId }: Visitor, to: string) => {
  const [ready, stop] = [Promise.withResolvers<void>(), new AbortController()]
  t.after(() => stop.abort())
  const over = listen({ baseUrl, token, flowId, to, onReady: () => ready.resolve(), signal: stop.signal })
  over.catch(ready.reject)
  await ready.promise
  return { over }
}

/** Typical developer program: rejects unsigned requests. */
const startApp = async (t: TestContext, handlers: Parameters<typeof assistant>[0], secret: string): Promise<string> =>
  `http://${closedWith(t, await assistant(handlers, { secret }).listen(0))}/`

test('shares calls between two processes', async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const { url: OFFHOOK_BUS } = await startNats(t)
  const endpoint = await startAssistantEndpoint(t, ({ type, session }) =>
    type === 'user_speak' ? { type: 'speak', session_id: session.id, text: 'Hook' } : undefined,
  )
  const [first, second] = await startCluster(t, { OFFHOOK_BUS, OFFHOOK_SPEECH: 'tones', OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const { id: aiFlowId, secret } = await first.admin.createFlow({}, { name: 'Flow', webhookUrl: endpoint.url })
  const { token } = JSON.parse(await readFile(join(first.data, 'first-run.json'), 'utf8')) as { token: string }
  const [atFirst, atSecond] = [first, second].map(({ http }) => ({ http, token, flowId: aiFlowId })) as [Visitor, Visitor]

  await t.test('streams and serves the timeline of a call from the other process', async (t) => {
    const { told: notified, over, stop } = await startWatching(t, atFirst)
    const talk = await TalkClient.open(t, (await second.admin.startTalk({ aiFlowId }, { audio: false })).url)
    const { callId } = await talk.onEvent('ready')
    await until('the assistant was asked', () => notified.some(({ kind }) => kind === 'attempt'))
    assert.equal((await first.admin.getTimeline({ callId })).running, true)
    talk.send({ type: 'hangup' })
    await until('it has ended', () => notified.some((entry) => entry.kind === 'call' && entry.state === 'ended'))
    await until('nothing is missing', async () => {
      const { items, running } = await first.admin.getTimeline({ callId })
      const [read, heard] = [items, notified].map((entries) => entries.map(({ sequence }) => sequence).join())
      return !running && read === heard
    })
    assert.ok(notified.every((entry) => entry.callId === callId))
    stop.abort()
    await over
  })

  await t.test(
    'delivers events of calls at one process to a listener at the other; the newest wins; a killed one loses no event',
    async (t) => {
      const before = endpoint.events.length
      const isListenedTo = (to: string) =>
        until(to, async () => (await second.admin.getFlow({ aiFlowId })).listener?.to === to || undefined)
      const older = await startApp(t, { session_start: () => 'Hi', user_speak: () => assert.fail() }, secret)
      const newer = await startApp(t, { user_speak: ({ text }) => `Oh ${text}` }, secret)
      const asked: string[] = []
      const stuck = await startApp(
        t,
        {
          user_speak({ text }) {
            asked.push(text)
            first.program.child.kill('SIGKILL')
            return new Promise<void>(() => {})
          },
        },
        secret,
      )
      const farAway = await startListener(t, atFirst, older)
      await isListenedTo(older)
      const { told: notified } = await startWatching(t, atSecond)
      const talk = await TalkClient.open(t, (await second.admin.startTalk({ aiFlowId }, { audio: false })).url)
      const speaks = (words: string) =>
        until(`it speaks ${words}`, () => notified.some((entry) => entry.kind === 'speaks' && entry.text === words))
      await speaks('Hi')

      const replaced = (error: unknown): boolean => error instanceof ListenEnded && error.code === 4001
      const close = await startListener(t, atSecond, newer)
      await assert.rejects(farAway.over, replaced)
      talk.send({ type: 'text', text: 'Ada' })
      await speaks('Oh Ada')

      await startListener(t, atFirst, stuck)
      await assert.rejects(close.over, replaced)
      await isListenedTo(stuck)
      assert.equal(endpoint.events.length, before, 'the webhook was not asked')
      talk.send({ type: 'text', text: 'Bob' })
      await speaks('Hook')
      assert.deepEqual(asked, ['Bob'])
      const attempts = notified.filter((entry) => entry.kind === 'attempt')
      const failed = attempts.find(({ state }) => state === 'failed')
      const ways = attempts.filter(({ eventId }) => eventId === failed?.eventId).map(({ channel, state }) => `${channel} ${state}`)
      assert.deepEqual(ways, ['listener failed', 'listener failed', 'webhook delivered'])
    },
  )
})

/** Status of a browser's request to call an assistant there. */
const ticketStatus = async ({ admin }: Exchange): Promise<number> => {
  const { items } = await admin.listFlows()
  const asked = admin.startTalk({ aiFlowId: items[0]?.id ?? '' }, { audio: false })
  return asked.then(
    () => 201,
    ({ status }: { status: number }) => status,
  )
}

test('keeps two-way audio through a media relay', async (t) => {
  if (!(await needs(t, 'kamailio', 'rtpengine', 'baresip'))) return
  const file = join(await temporaryFolder(t), 'tone.wav')
  await writeTone(file, { hz: assistantTone, seconds: 3, rate: 8000 })
  const audio = (await readFile(file)).toString('base64')
  const endpoint = await startAssistantEndpoint(t, ({ type, session }) =>
    type === 'session_start' ? { type: 'audio', session_id: session.id, audio } : undefined,
  )
  const [first, second] = await startCluster(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const flow = await first.admin.createFlow({}, { name: 'Tone', webhookUrl: endpoint.url, recording: true })
  const number = await first.newNumber(flow.id)
  const relay = await startRtpengine(t)
  const proxy = await startDispatcher(t, { destinations: [first.sip, second.sip], rtpengine: relay.controlPort })
  const phone = await startBaresip(t, { user: '+4940111222', tone })
  for (let call = 0; call < 2; call++) {
    await phone.dial(`sip:${number}@${proxy.address}`)
    await phone.event('CALL_ESTABLISHED')
    await phone.hears(assistantTone, 1)
    await phone.hangUp()
    await phone.event('CALL_CLOSED')
  }
  const ids = await until('two recordings', async () => {
    const { items } = await first.admin.listOwnHistory()
    const recorded = items.flatMap(({ recordings = [] }) => recordings)
    return recorded.length === 2 ? recorded.map(({ id }) => id) : undefined
  })
  for (const id of ids) {
    const { rate, channels } = await readWav(join(first.data, 'recordings', first.accountId, `${id}.wav`))
    assert.ok(secondsOf(channels[1] ?? new Float32Array(), rate, tone, loud) > 0.5, 'the phone is heard')
  }
  await until('the relay was used', async () => (await relay.packets()) > 200)
})
