import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { toneMessages } from '#adapters/speech/tones/tone-speech.ts'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { startAssistantSocket } from '#test/peers/assistant-socket.ts'
import { startExample } from '#test/peers/example.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { hearsInTones, saysInTones } from '#test/phones/tone-speech.ts'

interface Received {
  type: string
  text?: string
  session: { id: string }
}

/** Plain third-party server, good or bad. */
const startStranger = (t: TestContext, answer: (event: Received, response: ServerResponse) => unknown): Promise<string> =>
  startLoopbackServer(t, (request, response) => void text(request).then((body) => answer(JSON.parse(body) as Received, response)))

const callFlow = async (t: TestContext, exchange: Exchange, endpoint: { webhookUrl: string } | { websocketUrl: string }) => {
  const { id } = await exchange.admin.createFlow({}, { name: 'Assistant', language: 'en-GB', ...endpoint })
  const number = await exchange.newNumber(id)
  const { user, password } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  const call = phone.call(number)
  await call.answered
  return { phone, call, flowId: id }
}

/** Voices speak clause by clause, one message each. `after`: only the part after the last occurrence of this text. */
const heardAfter = ({ rtp }: SipPhone, after: string): string => {
  const heard = toneMessages(rtp.recent(10_000))
    .map((message) => message.text)
    .join(' ')
  return after === '' ? heard : (heard.split(after).at(-1) ?? '')
}

/** Repeats words that a busy machine damaged, until this is heard. */
const saysUntilHeard = async (phone: SipPhone, words: string, heard: string, after = ''): Promise<void> => {
  let packets = 0
  const isHeard = (): boolean => packets++ % 10 === 0 && heardAfter(phone, after).includes(heard)
  for (let tries = 1; ; tries++) {
    saysInTones(phone, words)
    try {
      return await phone.rtp.until(isHeard, `“${heard}”`, 12_000)
    } catch (error) {
      if (tries === 3) throw error
    }
  }
}

test('always tells the caller why when a third-party endpoint is slow, sends nonsense or answers another session', async (t) => {
  const answers: Record<string, (event: Received, response: ServerResponse) => unknown> = {
    slow: async ({ session }, response) => {
      await sleep(2_600)
      response.end(JSON.stringify({ type: 'speak', session_id: session.id, text: 'here it is' }))
    },
    fine: ({ session }, response) => response.end(JSON.stringify({ type: 'speak', session_id: session.id, text: 'fine, too' })),
    broken: (_, response) => response.end('<html>Internal error</html>'),
    foreign: (_, response) => response.end(JSON.stringify({ type: 'speak', session_id: 'another', text: 'for somebody else' })),
  }
  const address = await startStranger(t, (event, response) => {
    if (event.type === 'session_start') return response.end(JSON.stringify([{ type: 'speak', text: 'hello' }]))
    const act = event.type === 'user_speak' ? answers[event.text ?? ''] : undefined
    return act ? act(event, response) : response.writeHead(204).end()
  })
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: address, OFFHOOK_SPEECH: 'tones' })
  const { phone, call, flowId } = await callFlow(t, exchange, { webhookUrl: `http://${address}/` })
  await hearsInTones(phone, 'hello')
  await saysUntilHeard(phone, 'slow', 'One moment, please. here it is')
  await saysUntilHeard(phone, 'broken', 'I did not get that. Please say it again.')
  await saysUntilHeard(phone, 'fine', 'fine, too')
  await saysUntilHeard(phone, 'foreign', 'I did not get that. Please say it again.', 'fine, too')
  await call.session.end()
  const errors = await until('both stand in the log', async () => {
    const { items } = await exchange.admin.listDeliveries({ aiFlowId: flowId, state: 'failed' })
    const found = new Set(items.map(({ error }) => error))
    return found.size > 1 ? found : undefined
  })
  assert.deepEqual(errors, new Set(['the answer is not JSON', 'session_id is that of another session']))
})

test('plays a filler when a third-party stream stalls, then the rest', async (t) => {
  const { url: websocketUrl, address } = await startAssistantSocket(t, ({ type, session }, socket) => {
    const say = (words: string, last: boolean): void =>
      socket.send(JSON.stringify({ type: 'speak', session_id: session.id, stream_id: type, text: words, last }))
    if (type === 'session_start') say('hello', true)
    if (type !== 'user_speak') return
    say('let me look. ', false)
    const rest = setTimeout(() => say('here it is', true), 4_500)
    socket.on('close', () => clearTimeout(rest))
  })
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: address, OFFHOOK_SPEECH: 'tones' })
  const { phone, call } = await callFlow(t, exchange, { websocketUrl })
  await hearsInTones(phone, 'hello')
  await saysUntilHeard(phone, 'stream', 'let me look.')
  let packets = 0
  const filled = /^ (?:One moment, please\.|Just a second\.) here it is/
  await phone.rtp.until(() => packets++ % 10 === 0 && filled.test(heardAfter(phone, 'let me look.')), 'the filler, then the rest', 12_000)
  await call.session.end()
})

test('hangs up the appointment line after its last sentence, although the hang-up came long before', async (t) => {
  const url = await startExample(t, 'appointments', {}, 'assistant.ts')
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: new URL(url).host, OFFHOOK_SPEECH: 'tones' })
  const { phone, call } = await callFlow(t, exchange, { websocketUrl: url })
  await hearsInTones(phone, 'would you like to come?')
  await saysUntilHeard(phone, 'Friday at 3', 'Is that right?')
  saysInTones(phone, 'Yes')
  await call.ended
  const heard = toneMessages(phone.rtp.recent(10_000))
  const last = heard.filter(({ text: words, complete }) => complete && words.includes('goodbye'))
  assert.equal(last.length, 1, heard.map(({ text: words }) => words).join(' | '))
})
