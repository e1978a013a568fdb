import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { IncomingRefer } from '@offhook/sip/session/session.ts'
import type { Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { startSipp } from '#test/peers/sipp.ts'
import { loud, secondsOf, secondsOfSound } from '#test/sound/tones.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'

type OurPhone = Phone & { deviceId: string }

/** Tones of the phones in Hz: far from ringing tones, key tones, each other and each other's overtones. */
const [ada, bob, carol] = [600, 1100, 1900]
const tones = [ada, bob, carol]
const ringing = 425

/** Party of a call, by the sound it hears. */
interface Listener {
  readonly name: string
  /** Tone that it sends all the time, in Hz. */
  readonly tone: number
  /** Starts listening; returns the last half second, undefined until there is that much. */
  listen(): Promise<() => Promise<Float32Array | undefined>>
  hangUp(): Promise<void>
  closed(): Promise<unknown>
}

const rate = 8000
const enough = rate / 2

/** Third-party phone (baresip). Its recording misses sound after a hold. */
const outsideNumber = (phone: OurPhone, tone: number): Listener & { phone: OurPhone } => ({
  phone,
  tone,
  name: phone.user,
  listen: async () => {
    const newest = async (): Promise<Float32Array> => (await phone.heard()).at(-1)?.channels[0] ?? new Float32Array()
    const before = (await newest()).length
    return async () => {
      const samples = await newest()
      return samples.length - before < enough ? undefined : samples.subarray(-enough)
    }
  },
  hangUp: () => phone.hangUp(),
  closed: () => phone.event('CALL_CLOSED'),
})

/** Expects only this sound for half a second, and neither of the other two. */
const hearsOnly = async (listener: Listener, what: number | 'music' | 'ringing'): Promise<void> => {
  const recent = await listener.listen()
  const looked: Record<string, number> = {}
  const hears = async (): Promise<boolean | undefined> => {
    const last = await recent()
    if (!last) return undefined
    for (const hz of [...tones, ringing]) looked[hz] = secondsOf(last, rate, hz, hz === ringing ? 0.05 : loud)
    const others = tones.filter((hz) => hz !== what).every((hz) => looked[hz] === 0)
    if (what === 'music') return others && looked[ringing] === 0 && secondsOfSound(last, rate) > 0.3
    if (what === 'ringing') return others && (looked[ringing] ?? 0) > 0.1
    return others && (looked[what] ?? 0) > 0.25
  }
  await until('the sound', async () => (await hears()) || undefined).catch((error: unknown) => {
    throw new Error(`${listener.name} should hear ${what}, but: ${JSON.stringify(looked)}`, { cause: error })
  })
}

const haveTwoWayAudio = async (one: Listener, other: Listener): Promise<void> => {
  await Promise.all([hearsOnly(one, other.tone), hearsOnly(other, one.tone)])
}

/** Test phone for the party that is held and resumed. */
const caller = async (t: TestContext, exchange: Exchange): Promise<Listener & { dial(to: string): Promise<void> }> => {
  const { user, password } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  let call: PhoneCall | undefined
  /** Calls the target of the REFER with Replaces. */
  const follow = async (refer: IncomingRefer): Promise<void> => {
    call = phone.call('', { uri: refer.referTo.uri, headers: [['Replaces', refer.replaces ?? '']] })
    await call.answered
    phone.rtp.say(ada)
    refer.notify(200)
  }
  return {
    name: user,
    tone: ada,
    listen: async () => {
      phone.rtp.forget()
      return async () => {
        const samples = phone.rtp.recent(500)
        return samples.length < enough ? undefined : Float32Array.from(samples, (sample) => sample / 32_768)
      }
    },
    dial: async (to) => {
      call = phone.call(to)
      await call.answered
      phone.rtp.say(ada)
      call.session.observe({ ...call.observer, referred: (refer) => void follow(refer) })
    },
    hangUp: async () => call?.session.end(),
    closed: async () => call?.ended,
  }
}

interface Scene {
  a: Listener
  /** Callee, whose leg is replaced. */
  b: ReturnType<typeof outsideNumber>
  callId: string
}

const called = async (t: TestContext, exchange: Exchange, dial: (to: string) => Promise<unknown>): Promise<Omit<Scene, 'a'>> => {
  const phone = await exchange.newPhone(t, { tone: bob })
  const { number } = await exchange.newLine(phone.deviceId)
  const dialling = dial(number)
  await phone.answer()
  await Promise.all([dialling, phone.event('CALL_ESTABLISHED')])
  const { data } = await exchange.admin.listCalls()
  const call = data.find(({ participants: both }) => both.some(({ phoneNumber }) => phoneNumber === number))
  return { b: outsideNumber(phone, bob), callId: call?.callId ?? assert.fail('the call is not listed') }
}

/** Connects two third-party phones. */
const talking = async (t: TestContext, exchange: Exchange): Promise<Scene & { a: ReturnType<typeof outsideNumber> }> => {
  const phone = await exchange.newPhone(t, { tone: ada })
  const dial = async (to: string): Promise<unknown> => {
    await phone.dial(`sip:${to}@${exchange.sip}`)
    return phone.event('CALL_ESTABLISHED')
  }
  const a = outsideNumber(phone, ada)
  const scene = { a, ...(await called(t, exchange, dial)) }
  await haveTwoWayAudio(a, scene.b)
  return scene
}

/** Connects two parties, of which the caller will be held. */
const waiting = async (t: TestContext, exchange: Exchange): Promise<Scene> => {
  const a = await caller(t, exchange)
  const scene = { a, ...(await called(t, exchange, (to) => a.dial(to))) }
  await haveTwoWayAudio(a, scene.b)
  return scene
}

/** Third phone with its number. */
const third = async (t: TestContext, exchange: Exchange): Promise<{ c: ReturnType<typeof outsideNumber>; phoneNumber: string }> => {
  const phone = await exchange.newPhone(t, { tone: carol })
  return { c: outsideNumber(phone, carol), phoneNumber: (await exchange.newLine(phone.deviceId)).number }
}

const participants = async (exchange: Exchange, callId: string): Promise<boolean[]> =>
  (await exchange.admin.listCalls()).data.find((call) => call.callId === callId)?.participants.map(({ hold }) => hold) ?? []

test('transfers over the API, as each party hears it', { concurrency: 5 }, async (t) => {
  if (!(await needs(t, 'baresip', 'sipp'))) return
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'off' })

  const blind = t.test('blind: plays ringing and music, then connects the remaining two parties', async (t) => {
    const [{ a, b, callId }, { c, phoneNumber }] = await Promise.all([talking(t, exchange), third(t, exchange)])
    await exchange.admin.transferCall({ callId }, { attended: false, phoneNumber })
    await c.phone.event('CALL_INCOMING')
    await Promise.all([hearsOnly(a, 'ringing'), hearsOnly(b, 'music')])
    await assert.rejects(exchange.admin.muteCall({ callId }, { value: true }), { status: 409 })
    await c.phone.accept()
    await b.closed()
    await haveTwoWayAudio(a, c)
    assert.deepEqual(await participants(exchange, callId), [false, false])
    await a.hangUp()
    await c.closed()
  })

  const attended = t.test('attended: plays music to the caller during the consultation, then connects the new party', async (t) => {
    const [{ a, b, callId }, { c, phoneNumber }] = await Promise.all([waiting(t, exchange), third(t, exchange)])
    await exchange.admin.transferCall({ callId }, { attended: true, phoneNumber })
    await Promise.all([hearsOnly(a, 'music'), hearsOnly(b, 'ringing')])
    await c.phone.accept()
    await Promise.all([hearsOnly(a, 'music'), hearsOnly(b, carol), hearsOnly(c, bob)])
    assert.deepEqual(await participants(exchange, callId), [true, false, false])
    await b.hangUp()
    await haveTwoWayAudio(a, c)
    assert.deepEqual(await participants(exchange, callId), [false, false])
    await c.hangUp()
    await a.closed()
  })

  const calledOff = t.test('attended, cancelled: reconnects the two parties', async (t) => {
    const [{ a, b, callId }, { c, phoneNumber }] = await Promise.all([waiting(t, exchange), third(t, exchange)])
    const asked = exchange.admin.transferCall({ callId }, { attended: true, phoneNumber })
    await c.phone.answer()
    await asked
    await haveTwoWayAudio(b, c)
    await exchange.admin.holdCall({ callId }, { value: false })
    await c.closed()
    await haveTwoWayAudio(a, b)
    await exchange.admin.hangUpCall({ callId })
    await Promise.all([a.closed(), b.closed()])
  })

  const busy = t.test('busy: answers 409 and keeps the call connected; rejected after ringing: reconnects the parties', async (t) => {
    const [{ a, b, callId }, peer] = await Promise.all([talking(t, exchange), startSipp(t, { scenario: 'uas-486' })])
    const phoneNumber = await exchange.numberOf(t, peer)
    await assert.rejects(exchange.admin.transferCall({ callId }, { attended: false, phoneNumber }), { status: 409 })
    await haveTwoWayAudio(a, b)
    const rejecting = await third(t, exchange)
    await exchange.admin.transferCall({ callId }, { attended: false, phoneNumber: rejecting.phoneNumber })
    await hearsOnly(b, 'music')
    await rejecting.c.hangUp()
    await haveTwoWayAudio(a, b)
    await a.hangUp()
    await b.closed()
  })

  const refer = t.test('sends REFER to phones that support it', { concurrency: 2 }, async (t) => {
    const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'off', OFFHOOK_TRANSFER: 'refer' })
    const immediately = t.test('blind: sends REFER to a third-party phone', async (t) => {
      const [{ a, b, callId }, { c, phoneNumber }] = await Promise.all([talking(t, exchange), third(t, exchange)])
      const asked = exchange.admin.transferCall({ callId }, { attended: false, phoneNumber })
      await c.phone.event('CALL_INCOMING')
      await a.phone.event('TRANSFER')
      await c.phone.accept()
      await asked
      await b.closed()
      await haveTwoWayAudio(a, c)
      const { data } = await exchange.admin.listCalls()
      assert.ok(!data.some((call) => call.callId === callId), 'it is a call of its own')
      await c.hangUp()
    })
    const afterwards = t.test("attended: accepts the phone's call with Replaces", async (t) => {
      const [{ a, b, callId }, { c, phoneNumber }] = await Promise.all([waiting(t, exchange), third(t, exchange)])
      const asked = exchange.admin.transferCall({ callId }, { attended: true, phoneNumber })
      await c.phone.answer()
      await asked
      await Promise.all([hearsOnly(a, 'music'), hearsOnly(b, carol)])
      const first = a.closed()
      await b.hangUp()
      await first
      await haveTwoWayAudio(a, c)
      assert.deepEqual(await participants(exchange, callId), [false, false])
      await c.hangUp()
      await a.closed()
    })
    await Promise.all([immediately, afterwards])
  })

  await Promise.all([blind, attended, calledOff, busy, refer])
})
