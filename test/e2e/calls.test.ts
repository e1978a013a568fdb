import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Phone, PhoneOptions } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { loud, secondsOf, secondsOfSound } from '#test/sound/tones.ts'

type Line = Omit<PhoneOptions, 'user' | 'password' | 'registrar' | 'tone'>
type OurPhone = Phone & { deviceId: string }

/** Tones in Hz: far from ringing tones, key tones, each other and each other's overtones. */
const [low, middle, high] = [600, 1100, 1900]

const two = async (t: TestContext, exchange: Exchange, a: Line = {}, b: Line = a): Promise<[OurPhone, OurPhone]> =>
  Promise.all([exchange.newPhone(t, { ...a, tone: low }), exchange.newPhone(t, { ...b, tone: middle })])

const connect = async (exchange: Exchange, caller: Phone, called: OurPhone): Promise<void> => {
  await caller.dial(`sip:${called.deviceId}@${exchange.sip}`)
  await called.answer()
  await Promise.all([caller.event('CALL_ESTABLISHED'), called.event('CALL_ESTABLISHED')])
}

const haveTwoWayAudio = async (a: Phone, b: Phone): Promise<void> => {
  await Promise.all([a.hears(middle, 1), b.hears(low, 1)])
}

const hangUp = async (a: Phone, b: Phone): Promise<void> => {
  await a.hangUp()
  await Promise.all([a.event('CALL_CLOSED'), b.event('CALL_CLOSED')])
}

/** Seconds of a tone in the newest recording of a phone. */
const heardFor = async (phone: Phone, hz: number, threshold?: number): Promise<number> => {
  const wav = (await phone.heard()).at(-1)
  return wav?.channels[0] === undefined ? 0 : secondsOf(wav.channels[0], wav.rate, hz, threshold)
}

/** Above a click, which a late packet causes at every frequency; far below a voice. */
const ownVoice = 0.05

/** Codec tones start with clicks; an echoed voice would be continuous. */
const doNotHearThemselves = async (a: Phone, b: Phone): Promise<void> => {
  assert.ok((await heardFor(a, low, ownVoice)) <= 0.2)
  assert.ok((await heardFor(b, middle, ownVoice)) <= 0.2)
}

test('connects phones with each other', { concurrency: 6 }, async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'tones' })
  const dial = (number: string): string => `sip:${number}@${exchange.sip}`

  const plain = t.test('gives two-way audio without echo, and writes the call to the history', async (t) => {
    const [a, b] = await two(t, exchange)
    await connect(exchange, a, b)
    await haveTwoWayAudio(a, b)
    const { data } = await exchange.admin.listCalls()
    assert.ok(
      data.some(({ participants }) => participants.length === 2),
      'the running call is listed',
    )
    await hangUp(b, a)
    await doNotHearThemselves(a, b)
    const entry = await until('the call in the history', async () =>
      (await exchange.admin.listOwnHistory({ types: ['CALL'], limit: 1000 })).items.find(({ endpoints }) =>
        endpoints.some(({ endpoint }) => endpoint.extension === b.deviceId),
      ),
    )
    assert.equal(entry.callStatus, 'SUCCESS')
    assert.ok((entry.duration ?? 0) >= 1)
  })

  const codecs: [string, Line, Line?][] = [
    ['G.722', { codecs: 'G722/16000/1', rate: 16_000 }],
    ['Opus', { codecs: 'opus/48000/2', rate: 48_000 }],
    ['µ-law', { codecs: 'PCMU/8000/1' }],
    ['G.722 with A-law', { codecs: 'G722/16000/1', rate: 16_000 }, { codecs: 'PCMA/8000/1' }],
    ['Opus with A-law', { codecs: 'opus/48000/2', rate: 48_000 }, { codecs: 'PCMA/8000/1' }],
    ['SRTP', { encryption: 'srtp-mand' }],
    ['SRTP with plain RTP', { encryption: 'srtp-mand' }, {}],
    ['SRTP with SRTP that is only a wish', { encryption: 'srtp-mand' }, { encryption: 'srtp' }],
    ['SRTP that is only a wish with plain RTP', { encryption: 'srtp' }, {}],
  ]
  const lines = codecs.map(([name, a, b]) =>
    t.test(`connects with ${name}`, async (t) => {
      const [caller, called] = await two(t, exchange, a, b)
      await connect(exchange, caller, called)
      await haveTwoWayAudio(caller, called)
      await hangUp(caller, called)
      await doNotHearThemselves(caller, called)
    }),
  )

  const hold = t.test('plays music on hold, and the voice after it', async (t) => {
    const [a, b] = await two(t, exchange)
    await connect(exchange, a, b)
    await haveTwoWayAudio(a, b)
    await a.hold()
    await until('b hears something else', async () => {
      const wav = (await b.heard()).at(-1)
      const last = wav?.channels[0]?.subarray(-wav.rate / 2)
      return last && wav && secondsOf(last, wav.rate, low, loud) === 0 && secondsOfSound(last, wav.rate) > 0.3
    })
    const before = await heardFor(b, low, loud)
    await a.resume()
    await b.hears(low, before + 0.5)
    await hangUp(a, b)
  })

  const keys = t.test('delivers each pressed key once', async (t) => {
    const [a, b] = await two(t, exchange)
    await connect(exchange, a, b)
    await a.hears(middle, 0.2)
    await a.press('123#')
    const digits = [await b.event('CALL_DTMF_START'), await b.event('CALL_DTMF_START'), await b.event('CALL_DTMF_START')]
    digits.push(await b.event('CALL_DTMF_START'))
    assert.deepEqual(
      digits.map(({ param }) => param),
      ['1', '2', '3', '#'],
    )
    await hangUp(a, b)
    assert.equal(b.events().filter(({ type }) => type === 'CALL_DTMF_START').length, 4)
  })

  const line = t.test("rings all phones of a number's line, and connects the first that answers", async (t) => {
    const [a, b] = await two(t, exchange)
    const c = await exchange.newPhone(t, { tone: high })
    const { number } = await exchange.newLine(b.deviceId, c.deviceId)
    await a.dial(dial(number))
    await Promise.all([a.event('CALL_RINGING'), b.event('CALL_INCOMING'), c.event('CALL_INCOMING')])
    await c.accept()
    await Promise.all([a.event('CALL_ESTABLISHED'), b.event('CALL_CLOSED')])
    await Promise.all([a.hears(high, 1), c.hears(low, 1)])
    await hangUp(a, c)
  })

  const demo = t.test('greets on the demo number', async (t) => {
    const a = await exchange.newPhone(t, { tone: 0 }) // the assistant does not greet a caller who speaks
    await a.dial(dial(exchange.demoNumber))
    await a.event('CALL_ESTABLISHED')
    const greeting = async (): Promise<number> => {
      const wav = (await a.heard()).at(-1)
      return wav?.channels[0] ? secondsOfSound(wav.channels[0], wav.rate) : 0
    }
    await until('the greeting', async () => (await greeting()) > 1)
    await a.hangUp()
  })

  const refusals = t.test('ends the call on both sides after a rejection and after a CANCEL', async (t) => {
    const [a, b] = await two(t, exchange)
    await a.dial(dial(b.deviceId))
    await b.event('CALL_INCOMING')
    await a.event('CALL_RINGING')
    await b.hangUp()
    assert.match((await a.event('CALL_CLOSED')).param ?? '', /^(486|603)/)
    await b.event('CALL_CLOSED')
    await a.dial(dial(b.deviceId))
    await b.event('CALL_INCOMING')
    await a.event('CALL_RINGING')
    await hangUp(a, b)
  })

  const transfer = t.test('transfers a call from a phone to another', async (t) => {
    const [a, b] = await two(t, exchange)
    const c = await exchange.newPhone(t, { tone: high })
    await connect(exchange, a, b)
    await haveTwoWayAudio(a, b)
    await a.transfer(dial(c.deviceId))
    await c.answer()
    await a.event('CALL_CLOSED')
    await Promise.all([b.hears(high, 1), c.hears(middle, 1)])
    await hangUp(b, c)
  })

  await Promise.all([plain, ...lines, hold, keys, line, demo, refusals, transfer])
})
