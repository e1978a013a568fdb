import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { toneMessages, toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { Resampler } from '#media/codec/resample.ts'
import { startAssistantEndpoint, type AssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { secondsOfSound } from '#test/sound/tones.ts'
import { parseWav } from '#test/sound/wav.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { ToneCaller } from '#test/sound/tone-caller.ts'

const [wide, narrow] = [16_000, 8_000]
const long = 'a long story that goes on and on and on and on and on and on and on and on and on'
const hello = 'hello'

const resampled = (sound: Int16Array, from: number, to: number): Int16Array => {
  const into = new Int16Array((sound.length * to) / from)
  new Resampler(from, to).process(sound, into)
  return into
}

/** Greets, and answers with `you said …`, or with a long story. */
const answer = (event: AssistantEvent): unknown => {
  const { session, type } = event
  const speak = (text: string) => ({ type: 'speak', session_id: session.id, text })
  if (type === 'session_start') return speak(hello)
  if (type === 'user_speak') return speak(event.text === 'tell me' ? long : `ok ${event.text}`)
  return undefined
}

/** Page with microphone and loudspeaker, whose speech is tones. */
class Page {
  readonly client: TalkClient
  readonly ear: ToneCaller
  readonly callId: string

  private constructor(client: TalkClient, ear: ToneCaller, callId: string) {
    this.client = client
    this.ear = ear
    this.callId = callId
  }

  static async open(t: TestContext, { admin }: Exchange, aiFlowId: string): Promise<Page> {
    const { url } = await admin.startTalk({ aiFlowId }, {})
    const client = await TalkClient.open(t, url)
    const ear = new ToneCaller(t, (frame) => client.sendSound(frame))
    client.onSound = (frame) => ear.hears(frame)
    const { callId } = await client.onEvent('ready')
    await client.onEvent('answered')
    return new Page(client, ear, callId)
  }

  says(text: string): Promise<void> {
    return this.ear.says(resampled(toneSound(text), narrow, wide))
  }

  /** Waits for at least the beginning of the text. */
  hears(text: string): Promise<void> {
    const ms = 1.5 * (toneSound(text).length / 8) + 200
    const heard = (): string[] => toneMessages(resampled(this.ear.recent(ms), wide, narrow)).map((message) => message.text)
    return this.ear.until(() => heard().some((one) => one.startsWith(text)), `never heard "${text}"`)
  }

  isQuiet(): Promise<void> {
    return this.ear.until(() => this.ear.recent(300).every((sample) => Math.abs(sample) < 100), 'it is not quiet')
  }

  hearsSomething(): Promise<void> {
    return this.ear.until(() => this.ear.recent(200).some((sample) => Math.abs(sample) > 1000), 'it is quiet')
  }
}

const turnsOf = (endpoint: AssistantEndpoint, { callId }: Page) =>
  endpoint.ofType('user_speak').filter(({ session }) => session.id === callId)

/** Repeats an utterance that a busy machine damaged, as people do. Returns the text that arrived. */
const isUnderstood = async (endpoint: AssistantEndpoint, page: Page, text: string) => {
  const before = turnsOf(endpoint, page).length
  for (let tries = 1; tries <= 5; tries++) {
    await page.says(text)
    await until('a turn', () => turnsOf(endpoint, page).length >= before + tries, 10_000).catch(() => undefined)
    const heard = turnsOf(endpoint, page).slice(before)
    if (heard.at(-1)?.text === text) return heard
  }
  return assert.fail(`“${text}” was not recognised`)
}

test('carries calls from a browser, with sound', async (t) => {
  const endpoint = await startAssistantEndpoint(t, answer)
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'tones', OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const { admin } = exchange
  const flow = await admin.createFlow({}, { name: 'Tones', webhookUrl: endpoint.url })

  await t.test('greets, answers, and can be interrupted by voice and by typing', async (t) => {
    const page = await Page.open(t, exchange, flow.id)
    await page.hears(hello)
    await page.isQuiet()
    await isUnderstood(endpoint, page, 'table for two')
    await page.hears('ok table for two')
    await page.isQuiet()
    await isUnderstood(endpoint, page, 'tell me')
    await page.hears(long.slice(0, 12))
    const [cut] = await isUnderstood(endpoint, page, 'enough')
    assert.equal(cut?.barged_in, true)
    const heardText = cut?.heard_text ?? ''
    assert.ok(heardText !== '' && heardText.length < long.length && long.startsWith(heardText), heardText)
    await page.hears('ok enough')
    await page.isQuiet()
    page.client.send({ type: 'text', text: 'tell me' })
    await page.hears(long.slice(0, 12))
    page.client.send({ type: 'text', text: 'thanks' })
    const typed = await until('what was typed', () => turnsOf(endpoint, page).find(({ text }) => text === 'thanks'))
    assert.equal(typed.barged_in, true)
    await page.hears('ok thanks')
    page.client.socket.close()
    const [end] = await until('the end', () => {
      const found = endpoint.ofType('session_end').filter(({ session }) => session.id === page.callId)
      return found.length > 0 ? found : undefined
    })
    assert.equal(end?.reason, 'caller_hangup')
  })

  await t.test('holds and records the call, and lists it in the history with both sides', async (t) => {
    const page = await Page.open(t, exchange, flow.id)
    const { callId } = page
    await page.hears(hello)
    await admin.recordCall({ callId }, { value: true })
    await page.isQuiet()
    await isUnderstood(endpoint, page, 'keep this')
    await page.hears('ok keep this')
    await admin.holdCall({ callId }, { value: true })
    await page.client.onEvent('held')
    await page.hearsSomething()
    await admin.holdCall({ callId }, { value: false })
    await page.isQuiet()
    await admin.sendDtmf({ callId }, { sequence: '5' })
    await admin.hangUpCall({ callId })
    assert.deepEqual(await page.client.onEvent('ended'), { type: 'ended', by: 'api', reason: 'api_hangup' })
    const entry = (await admin.listOwnHistory({ types: ['CALL'], limit: 1000 })).items.find((item) => item.callId === callId)
    assert.deepEqual([entry?.direction, entry?.targetAlias, entry?.recordings?.length], ['INCOMING', 'Tones', 1])
    const file = join(exchange.data, 'recordings', exchange.accountId, `${entry?.recordings?.[0]?.id}.wav`)
    const { channels, rate } = parseWav(await readFile(file))
    assert.equal(channels.length, 2)
    for (const channel of channels) assert.ok(secondsOfSound(channel, rate) > 0.3, 'both sides are in it')
  })

  await t.test('transfers to a telephone with two-way audio', async (t) => {
    const { user, password, deviceId } = await exchange.newDevice()
    const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
    await phone.register()
    const { number } = await exchange.newLine(deviceId)
    const page = await Page.open(t, exchange, flow.id)
    await page.hears(hello)
    const transfer = admin.transferCall({ callId: page.callId }, { attended: false, phoneNumber: number })
    const incoming = await phone.incoming()
    await Promise.all([transfer, phone.accept(incoming)])
    phone.rtp.say(600)
    page.ear.hums(1100)
    await Promise.all([page.ear.hearsTone(600), phone.rtp.hears(1100)])
    page.client.send({ type: 'text', text: 'hello?' })
    assert.match((await page.client.onEvent('problem')).message, /Nobody reads/)
    page.client.send({ type: 'hangup' })
    await page.client.onEvent('ended')
    await incoming.call.ended
  })
})
