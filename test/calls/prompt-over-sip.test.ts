import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { assistantTemplates, withTransfer } from '@offhook/contract/v3/assistant-templates.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { until } from '#test/machine/peer-process.ts'
import { startModelServer, type ModelServer } from '#test/model/model-server.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { openRecogniser } from '#test/speech/embedded-speech.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { readPrompt, recordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'
import { Speaker } from '#test/speech/spoken-call.ts'
import { wordErrors } from '#adapters/speech/callers/word-errors.ts'

const template = assistantTemplates.reception.en.settings
const disclosure = 'You are speaking with an automated assistant.'
/** Long enough that the model is still generating when the caller interrupts, even on a busy machine. */
const tour = `Our house has many floors. ${'On the next floor there is a kitchen, a large hall and a garden for everybody. '.repeat(8)}`
const slot = 'Friday at three is free.'
const farewell = 'Thank you very much for your call. Goodbye.'
const through = 'I am putting you through.'
const summary = 'The caller asked for a tour and got an appointment.'
const targetsTone = 1900

/** Replies depend on the recordings of the caller, which are recognised like any caller's words. */
const script = [
  { when: '^user: <data-', json: { summary, sentiment: 'positive', next_steps: ['Prepare the tour'], outcome: 'answered', fields: {} } },
  { when: '^user: .*number', say: tour, tokenMs: 200 },
  { when: '^user: .*(hold|extension)', calls: [{ name: 'free_slots', arguments: { day: 'Friday' } }] },
  { when: '^tool:', say: slot },
  { when: '^user: .*(good|bye)', say: farewell, calls: [{ name: 'hang_up' }] },
  { when: '^user: .*(line|answered)', say: through, calls: [{ name: 'transfer', arguments: { to: 'colleague' } }] },
]
const [asks, interrupts, saysGoodbye, wantsSomebody] = ['vm-enter-num-to-call', 'transfer', 'vm-goodbye', 'queue-youarenext']

interface Signed {
  path: string
  headers: Record<string, string>
  body: string
}

/** Program of the customer: has free slots, and receives the results of calls. */
const startCustomer = async (t: TestContext): Promise<{ address: string; requests: Signed[] }> => {
  const requests: Signed[] = []
  const read = async (request: IncomingMessage): Promise<string> => {
    const pieces: Buffer[] = []
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
  const address = await startLoopbackServer(t, (request, response) => {
    void read(request).then((body) => {
      requests.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, body })
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ free: ['15:00'] }))
    })
  })
  return { address, requests }
}

const settingsFor = (model: ModelServer, customer: string, target: string): AssistantSettings => {
  const settings = withTransfer(template, target, 'en')
  const parameters = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] }
  const http = [{ name: 'free_slots', description: 'Free appointments of a day', url: `http://${customer}/slots`, parameters }]
  return {
    ...settings,
    model: { url: model.url, name: 'scripted' },
    tools: { ...settings.tools, http },
    result: { ...settings.result, webhook_url: `http://${customer}/results` },
  }
}

const openStage = async (t: TestContext) => {
  const [model, customer] = [await startModelServer(t, script), await startCustomer(t)]
  const allowed = `${model.address},${customer.address}`
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: allowed, OFFHOOK_SPEECH: 'embedded' })
  const target = await exchange.newPhone(t, { tone: targetsTone })
  const { number } = await exchange.newLine(target.deviceId)
  const input = { name: 'Reception', language: 'en-US', transfer_targets: [number], barge_in: { strategy: 'immediate' as const } }
  const { id: aiFlowId, secret } = await exchange.admin.createFlow({}, { ...input, endpoint: 'assistant' })
  await exchange.admin.changeAssistant({ aiFlowId }, { settings: settingsFor(model, customer.address, number) })
  await exchange.admin.publishAssistant({ aiFlowId }, {})
  const dial = async (): Promise<Speaker> => {
    const caller = await Speaker.open(t, exchange)
    await caller.phone.dial(`sip:${flowNumber}@${exchange.sip}`)
    await caller.phone.event('CALL_ESTABLISHED')
    return caller
  }
  const flowNumber = await exchange.newNumber(aiFlowId)
  return { exchange, aiFlowId, secret, model: model.model, customer, target, dial, hear: await openRecogniser(t) }
}

const saysWords = (heard: string, said: string): void => {
  const { errors, words } = wordErrors(said, heard)
  assert.ok(errors / words <= 0.25, `“${heard}” instead of “${said}”`)
}

/** Request to the model after this sentence of the caller. */
const askedAfter = (model: ModelServer['model'], words: RegExp) =>
  until(`a question after ${words}`, () =>
    model.requests.find(({ body }) => {
      const last = body.messages.at(-1)
      return last?.role === 'user' && words.test(last.content ?? '') && !last.content?.startsWith('<data-')
    }),
  )

const resultOf = (exchange: Exchange, aiFlowId: string, endReason: string) =>
  until(`the result of a call that ended with ${endReason}`, async () => {
    const { items } = await exchange.admin.listResults({ aiFlowId })
    return items.find((item) => item.endReason === endReason && item.summary !== undefined)
  })

const { skip } = await embeddedModels('vad', 'stt-en', 'tts-en')

test('holds a phone call with a prompt assistant: recognition, interruption, tools, goodbye and result', { skip }, async (t) => {
  if (!(await needs(t, 'baresip', recordedSpeech, recordedWords))) return
  const { exchange, aiFlowId, secret, model, customer, target, dial, hear } = await openStage(t)

  const caller = await dial()
  saysWords(await caller.understood(hear, 'en-US'), `${disclosure} ${template.greeting}`)

  await caller.says(await readPrompt(asks))
  const first = await askedAfter(model, /number/i)
  await caller.hearsMore(2.5)
  await caller.says(await readPrompt(interrupts))
  const second = await askedAfter(model, /hold|extension/i)
  assert.equal(first.left, true, 'the answer that nobody wants any more is not read to its end')
  const said = second.body.messages.filter(({ role }) => role === 'assistant').at(-1)?.content ?? ''
  assert.ok(said.endsWith('…') && said.length > 5 && tour.startsWith(said.slice(0, -1)), `what was heard, and no more: ${said}`)

  await until('the tool', () => customer.requests.find(({ path }) => path === '/slots'))
  const tool = customer.requests[0] ?? assert.fail()
  const asked = new Webhook(secret).verify(tool.body, tool.headers) as { tool: string; arguments: unknown }
  assert.deepEqual([asked.tool, asked.arguments], ['free_slots', { day: 'Friday' }])
  await caller.hearsMore(0.5)
  await caller.hasTheFloor(0.5)
  await caller.says(await readPrompt(saysGoodbye))
  await caller.phone.event('CALL_CLOSED', 30_000)
  const heard = await caller.recognised(hear, 'en-US')
  const atTheEnd = `${slot} ${farewell}`
  saysWords(heard.split(' ').slice(-atTheEnd.split(' ').length).join(' '), atTheEnd)

  const result = await resultOf(exchange, aiFlowId, 'assistant_hangup')
  assert.deepEqual([result.summary, result.outcome, result.version, result.turns], [summary, 'answered', 1, 3])
  const notified = await until('the webhook', () => customer.requests.find(({ path }) => path === '/results'))
  assert.match(JSON.stringify(new Webhook(secret).verify(notified.body, notified.headers)), /got an appointment/)

  const another = await dial()
  await another.hasTheFloor(3)
  const answered = target.answer()
  await another.says(await readPrompt(wantsSomebody))
  await answered
  await another.phone.hears(targetsTone, 1, 20_000)
  saysWords((await another.recognised(hear, 'en-US')).split(/help you/i).at(-1) ?? '', through)
  await target.hangUp()
  const transferred = await resultOf(exchange, aiFlowId, 'transferred')
  assert.ok(transferred.transferredTo)
})
