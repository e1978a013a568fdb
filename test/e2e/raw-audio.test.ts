import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { fromMuLaw, muLawTone, pcmTone, startSoundServer, type SoundServer } from '#test/peers/sound-endpoints.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { loud, secondsOf } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'

const root = join(import.meta.dirname, '../..')
const assistantTone = 700
const callerTone = 1100

type FlowInput = Parameters<Exchange['admin']['createFlow']>[1]

/** Telephone in a call with a flow whose endpoint gets raw audio. */
const callFlow = async (t: TestContext, exchange: Exchange, websocketUrl: string, input: Partial<FlowInput>) => {
  const flow = await exchange.admin.createFlow({}, { name: 'Sound', language: 'en-GB', websocketUrl, ...input })
  const number = await exchange.newNumber(flow.id)
  const { user, password } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  const call = phone.call(number)
  await call.answered
  return { phone, call }
}

const hearsTheCaller = (server: SoundServer): Promise<unknown> =>
  until('the caller at the endpoint', () => server.level(callerTone) > -25 || undefined)

const notifications = <T>(server: SoundServer, find: (message: Record<string, unknown>) => T | undefined): Promise<T> =>
  until('the message', () => server.messages.map(find).find((found) => found !== undefined))

test('connects calls with endpoints of raw audio', { concurrency: true }, async (t) => {
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1', OFFHOOK_SPEECH: 'tones' })

  void t.test('carries tones both ways over the WebSocket, cuts them off when the caller speaks, and records both', async (t) => {
    const rate = 16_000
    const server = await startSoundServer(t, {
      rate,
      read: (data, isBinary) => (isBinary ? new Int16Array(Uint8Array.from(data).buffer) : undefined),
      onEvent: ({ type }, socket) => {
        if (type !== 'session_start') return
        const sound = pcmTone(assistantTone, 20_000, rate)
        for (let at = 0; at < sound.length; at += 3200) socket.send(sound.subarray(at, at + 3200))
      },
    })
    const { phone, call } = await callFlow(t, exchange, server.url, { media: { mode: 'audio' }, recording: true })
    await phone.rtp.hears(assistantTone)
    phone.rtp.say(callerTone)
    await hearsTheCaller(server)
    const cleared = await notifications(server, (message) => (message['type'] === 'audio_cleared' ? message : undefined))
    assert.equal(cleared['reason'], 'barge_in')
    await phone.rtp.missing(assistantTone)
    const began = await notifications(server, (message) => (message['type'] === 'user_speech_started' ? message : undefined))
    const played = Number(cleared['played_ms'])
    assert.ok(played > 200 && played < 10_000 && Number(began['played_ms']) <= played, `${played}`)
    await call.session.end()
    const id = await until('the recording', async () => {
      const { items } = await exchange.admin.listOwnHistory()
      return items.flatMap(({ recordings = [] }) => recordings)[0]?.id
    })
    const { rate: recordedAt, channels } = await readWav(join(exchange.data, 'recordings', exchange.accountId, `${id}.wav`))
    const seconds = (channel: number, hz: number): number => secondsOf(channels[channel] ?? new Float32Array(), recordedAt, hz, loud / 2)
    const both = [0, 1].map((channel) => [seconds(channel, assistantTone), seconds(channel, callerTone)])
    assert.ok(both.some(([assistant = 0]) => assistant > 0.15) && both.some(([, caller = 0]) => caller > 0.15), JSON.stringify(both))
  })

  void t.test('serves Media Streams: base64 of µ-law, returned marks, clear', async (t) => {
    const server = await startSoundServer(t, {
      rate: 8000,
      read: (data) => {
        const { event, media } = JSON.parse(data.toString()) as { event: string; media?: { payload: string } }
        return event === 'media' && media ? fromMuLaw(Buffer.from(media.payload, 'base64')) : undefined
      },
      onEvent: ({ event, streamSid, mark }, socket) => {
        const send = (message: object): void => socket.send(JSON.stringify({ streamSid, ...message }))
        const play = (ms: number, name: string): void => {
          send({ event: 'media', media: { payload: muLawTone(assistantTone, ms).toString('base64') } })
          send({ event: 'mark', mark: { name } })
        }
        if (event === 'start') play(600, 'short')
        if (event === 'mark' && (mark as { name: string }).name === 'short') play(20_000, 'long')
        if (event === 'dtmf') send({ event: 'clear' })
      },
    })
    const { phone, call } = await callFlow(t, exchange, server.url, { protocol: 'media_streams' })
    await phone.rtp.hears(assistantTone)
    const nameOf = ({ mark }: Record<string, unknown>): unknown => (mark as { name?: string } | undefined)?.name
    await notifications(server, (message) => (nameOf(message) === 'short' ? message : undefined))
    phone.rtp.say(callerTone)
    await hearsTheCaller(server)
    await phone.rtp.hears(assistantTone)
    phone.rtp.say(undefined)
    phone.rtp.press('5')
    await phone.rtp.missing(assistantTone)
    await notifications(server, (message) => (nameOf(message) === 'long' ? message : undefined))
    await call.session.end()
    await notifications(server, ({ event }) => (event === 'stop' ? true : undefined))
  })

  void t.test('runs a speech-to-speech model: greets, hears, is truncated at an interruption, and hangs up', async (t) => {
    let speaks = 0
    const server = await startSoundServer(t, {
      rate: 8000,
      read: (data) => {
        const { type, audio } = JSON.parse(data.toString()) as { type: string; audio?: string }
        return type === 'input_audio_buffer.append' && audio !== undefined ? fromMuLaw(Buffer.from(audio, 'base64')) : undefined
      },
      onEvent: ({ type }, socket) => {
        const send = (message: object): void => socket.send(JSON.stringify(message))
        const say = (item_id: string, ms: number): void =>
          send({ type: 'response.output_audio.delta', item_id, content_index: 0, delta: muLawTone(assistantTone, ms).toString('base64') })
        if (type === 'session.update') send({ type: 'session.updated' })
        if (type === 'response.create' && speaks++ === 0) say('greeting', 20_000)
        if (type === 'conversation.item.truncate') {
          say('goodbye', 500)
          send({ type: 'response.function_call_arguments.done', call_id: 'c', name: 'hang_up', arguments: '{}' })
          send({ type: 'response.done' })
        }
      },
    })
    const { phone, call } = await callFlow(t, exchange, server.url, { protocol: 'openai_realtime', apiKey: 'sk-test' })
    await phone.rtp.hears(assistantTone)
    assert.equal(server.headers.authorization, 'Bearer sk-test')
    phone.rtp.say(callerTone)
    await hearsTheCaller(server)
    phone.rtp.say(undefined)
    server.say({ type: 'input_audio_buffer.speech_started' })
    const truncate = await notifications(server, (message) => (message['type'] === 'conversation.item.truncate' ? message : undefined))
    const heard = Number(truncate['audio_end_ms'])
    assert.ok(truncate['item_id'] === 'greeting' && heard > 200 && heard < 15_000, JSON.stringify(truncate))
    await call.ended
  })

  void t.test('echoes the caller with the program of the guide raw-audio.md', async (t) => {
    const guide = await readFile(join(root, 'docs/guides/raw-audio.md'), 'utf8')
    const [, program = ''] = /```js\n(.*?)```/s.exec(guide) ?? []
    const [, command = ''] = /```sh\n(.*?)```/s.exec(guide) ?? []
    const [, input = '{}'] = / -d '(.*?)'/.exec(command) ?? []
    const port = await freePorts(t, 1)
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: root, env: { ...process.env, PORT: `${port}` } })
    t.after(() => void child.kill())
    const { media, barge_in } = JSON.parse(input) as Pick<FlowInput, 'media' | 'barge_in'>
    const { phone, call } = await callFlow(t, exchange, `ws://127.0.0.1:${port}/`, {
      ...(media && { media }),
      ...(barge_in && { barge_in }),
    })
    await phone.rtp.hears(assistantTone)
    phone.rtp.say(callerTone)
    await phone.rtp.until(() => phone.rtp.level(callerTone) > -30, 'no echo')
    await call.session.end()
  })
})
