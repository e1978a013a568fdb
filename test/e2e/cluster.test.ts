import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { watchTimeline } from '@offhook/sdk'
import { freshPostgres } from '../support/databases.ts'
import { startAssistantEndpoint } from '../support/peers/assistant-endpoint.ts'
import { startBaresip } from '../support/peers/baresip.ts'
import { needs } from '../support/peers/debian.ts'
import { startExchange, type Exchange } from '../support/peers/exchange.ts'
import { startDispatcher } from '../support/peers/kamailio.ts'
import { until } from '../support/peers/peer-process.ts'
import { startRtpengine } from '../support/peers/rtpengine.ts'
import { sippSucceeds } from '../support/peers/sipp.ts'
import { loud, secondsOf } from '../support/peers/tones.ts'
import { readWav, writeTone } from '../support/peers/wav.ts'
import { TalkClient } from '../support/talk-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const timeout = 120_000

const [tone, assistantTone] = [600, 1000]

/** Two processes on one database; the proxy in front of them is their carrier. */
const startCluster = async (t: TestContext, settings: Record<string, string> = {}): Promise<[Exchange, Exchange]> => {
  const shared = { DATABASE_URL: await freshPostgres(), OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), ...settings }
  const first = await startExchange(t, shared)
  await first.newTrunk('127.0.0.1')
  const second = await startExchange(t, { ...shared, OFFHOOK_DATA: first.data })
  return [first, second]
}

test('calls spread over two processes, and go on when one is killed', { timeout }, async (t) => {
  if (!(await needs(t, 'kamailio', 'sipp'))) return
  const [first, second] = await startCluster(t)
  const proxy = await startDispatcher(t, { destinations: [first.sip, second.sip] })
  const call = { scenario: 'uac', target: proxy.address, service: first.demoNumber, more: ['-d', '300'] }
  const result = await sippSucceeds(t, { ...call, calls: 20, rate: 20 })
  const answeredBy = [first, second].map(({ sip }) => [...result.messages.matchAll(new RegExp(`^Contact:.*${sip}`, 'gm'))].length)
  assert.ok(Math.min(...answeredBy) >= 8, `not in turns: ${answeredBy.join(' and ')}`)

  second.program.child.kill('SIGKILL')
  await second.program.ended
  await sippSucceeds(t, { ...call, calls: 10, rate: 20 })
})

test('one process drains the other: its call goes on, new ones find the first, and it is put back', { timeout }, async (t) => {
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
  const long = sippSucceeds(t, { ...call, target: second.sip, calls: 1, rate: 1, more: ['-d', '8000'] })
  await reaches('RUNNING', 1)

  await operator.drainNode({ nodeId }, { value: true })
  await reaches('DRAINING', 1)
  await until('it has heard of it', async () => (await ticketStatus(second)) === 503)
  const proxy = await startDispatcher(t, { destinations: [first.sip, second.sip] })
  const { messages } = await sippSucceeds(t, { ...call, target: proxy.address, calls: 10, rate: 20, more: ['-d', '300'] })
  assert.doesNotMatch(messages, new RegExp(`^Contact:.*${second.sip}`, 'm'), 'all were taken by the first')
  await long
  await reaches('DRAINED', 0)

  await operator.drainNode({ nodeId }, { value: false })
  await reaches('RUNNING', 0)
  await sippSucceeds(t, { ...call, target: second.sip, calls: 1, rate: 1, more: ['-d', '300'] })
})

test('what happens in a call of one process is told by the other as it happens, and can be read there', { timeout }, async (t) => {
  const endpoint = await startAssistantEndpoint(t, () => undefined)
  const [first, second] = await startCluster(t, { OFFHOOK_SPEECH: 'off', OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const { id: aiFlowId } = await first.admin.createFlow({}, { name: 'Silent', webhookUrl: endpoint.url })
  const { token } = JSON.parse(await readFile(join(first.data, 'first-run.json'), 'utf8')) as { token: string }
  const ending = new AbortController()
  t.after(() => ending.abort())
  const told: TimelineEntry[] = []
  const watching = Promise.withResolvers<void>()
  const watch = async (): Promise<void> => {
    const onState = (): void => watching.resolve()
    const entries = watchTimeline({ baseUrl: first.http, token, flowId: aiFlowId, signal: ending.signal, onState })
    for await (const entry of entries) told.push(entry)
  }
  const watched = watch()
  await watching.promise
  const talk = await TalkClient.open(t, (await second.admin.startTalk({ aiFlowId }, { audio: false })).url)
  const { callId } = await talk.told('ready')
  await until('the assistant was asked', () => told.some(({ kind }) => kind === 'attempt'))
  assert.equal((await first.admin.getTimeline({ callId })).running, true)
  talk.send({ type: 'hangup' })
  await until('it has ended', () => told.some((entry) => entry.kind === 'call' && entry.state === 'ended'))
  await until('nothing is missing', async () => {
    const { items, running } = await first.admin.getTimeline({ callId })
    const [read, heard] = [items, told].map((entries) => entries.map(({ sequence }) => sequence).join())
    return !running && read === heard
  })
  assert.ok(told.every((entry) => entry.callId === callId))
  ending.abort()
  await watched
})

/** What somebody hears there who wants to call an assistant from a browser. */
const ticketStatus = async ({ admin }: Exchange): Promise<number> => {
  const { items } = await admin.listFlows()
  const asked = admin.startTalk({ aiFlowId: items[0]?.id ?? '' }, { audio: false })
  return asked.then(
    () => 201,
    ({ status }: { status: number }) => status,
  )
}

test('with a relay in between the audio is still right', { timeout }, async (t) => {
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
    await phone.hears(assistantTone, 1, 20_000)
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
