import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { VadStream, Vad } from '#core/kernel/ports/speech.ts'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import { G711 } from '#media/codec/g711.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { sine, tones } from '#media/sound/tone.ts'
import { randomOf } from '../sound/spectrum.ts'

export interface OpenedVad {
  vad: Vad
  close(): Promise<void>
}

export interface VadCase {
  name: string
  open: () => OpenedVad | Promise<OpenedVad>
  /** At least four utterances at 8 kHz, each longer than a second and without long pauses. */
  voices: () => readonly Int16Array[] | Promise<readonly Int16Array[]>
  /** Keys, ringing and other tones count as speech. */
  takesTonesForSpeech?: boolean
  /** Reason to skip. */
  skip?: string | false
}

type ObserverCall = { what: 'started' | 'stopped' | 'beep' | 'lost'; at: number }

const blockSamples = 160
const ringSamples = 4 * 2 * 8000
const ms = (milliseconds: number): number => milliseconds * samplesPerMs
const silence = (milliseconds: number): Int16Array => new Int16Array(ms(milliseconds))
const concat = (...parts: Int16Array[]): Int16Array => {
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0)
  return all
}
const added = (one: Int16Array, other: Int16Array, at: number): Int16Array =>
  one.map((sample, i) => Math.max(-32_768, Math.min(32_767, sample + (other[i - at] ?? 0))))
const scaled = (sound: Int16Array, decibels: number): Int16Array => sound.map((sample) => Math.round(sample * 10 ** (decibels / 20)))

const noise = (milliseconds: number, amplitude: number): Int16Array => {
  const random = randomOf(11)
  return silence(milliseconds).map(() => Math.round((random() + random() + random() + random() - 2) * 1.73 * amplitude))
}

const clicks = (count: number): Int16Array => {
  const sound = silence(250 * count)
  for (let click = 0; click < count; click++)
    for (let i = 0; i < 40; i++) sound[ms(250 * click + 100) + i] = 15_000 * Math.cos(i) * 0.9 ** i
  return sound
}

const keys = concat(
  ...[
    [697, 1209],
    [770, 1336],
    [852, 1477],
    [941, 1336],
    [941, 1209],
  ].flatMap((pair) => [sine(pair, 120, 8000, -12), silence(80)]),
)

/** Simulates the telephone line. */
const overTheLine = (sound: Int16Array): Int16Array => {
  const codec = new G711('PCMU')
  const bytes = new Uint8Array(sound.length)
  codec.encode(sound, bytes, 0)
  const decoded = new Int16Array(sound.length)
  codec.decode(bytes, 0, bytes.length, decoded, 0)
  return decoded
}

/** First and last sample above 1 % of the peak. */
const bounds = (sound: Int16Array): { from: number; to: number } => {
  const loudest = sound.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)
  const isLoud = (sample: number): boolean => Math.abs(sample) > loudest / 100
  return { from: sound.findIndex(isLoud), to: sound.findLastIndex(isLoud) }
}

/** Leg that plays the test's sound as fast as it is read. */
const openLeg = (vad: Vad) => {
  const ring = SampleRing.of(ringSamples)
  const notified: ObserverCall[] = []
  const note = (what: ObserverCall['what']) => (at: number) => void notified.push({ what, at })
  const sound = { buffer: ring.buffer, close: () => ring.end() }
  const ear: VadStream = vad.listen(sound, {
    started: note('started'),
    stopped: note('stopped'),
    beep: note('beep'),
    lost: () => void notified.push({ what: 'lost', at: ear.track.length }),
  })
  const say = async (heard: Int16Array, sent: Int16Array = new Int16Array()): Promise<void> => {
    for (let at = 0; at < heard.length; at += blockSamples) {
      const block = new Int16Array(2 * blockSamples)
      block.set(heard.subarray(at, at + blockSamples))
      block.set(sent.subarray(at, at + blockSamples), blockSamples)
      await ring.hasCapacity(block.length)
      ring.write(block)
    }
  }
  const hangUp = (): Promise<void> => {
    ring.end()
    return ear.track.reaches(Infinity)
  }
  return { ring, ear, told: notified, say, hangUp }
}

/** Events of a whole call with this sound. */
const scheduleNotification = async (vad: Vad, heard: Int16Array, sent?: Int16Array): Promise<ObserverCall[]> => {
  const { told: notified, say, hangUp } = openLeg(vad)
  await say(overTheLine(heard), sent)
  await hangUp()
  return notified
}

const places = (notified: ObserverCall[], what: ObserverCall['what']): number[] =>
  notified.filter((one) => one.what === what).map(({ at }) => at)

const assertBetween = (value: number | undefined, from: number, to: number, what: string): void =>
  assert.ok(value !== undefined && value >= from && value <= to, `${what}: ${value} is not between ${from} and ${to}`)

/** Conformance tests of every VAD. */
export const vadConformance = ({ name, open, voices, takesTonesForSpeech = false, skip = false }: VadCase): void => {
  describe(`${name} as a detector of voices`, { skip }, () => {
    let opened: OpenedVad | undefined
    let spoken: readonly Int16Array[] = []
    const vad = (): Vad => opened?.vad ?? assert.fail('not opened')
    const voice = (index: number): Int16Array => spoken[index] ?? assert.fail('four voices are needed')

    before(async () => {
      spoken = await voices()
      opened = await open()
    })
    after(() => opened?.close())

    test('reports start and end of speech for four concurrent callers', async () => {
      const calls = [0, 1, 2, 3].map(async (index) => {
        const before = ms(600 + 11 * index)
        const notified = await scheduleNotification(vad(), concat(silence(600 + 11 * index), voice(index), silence(700)))
        const { from, to } = bounds(voice(index))
        assertBetween(places(notified, 'started')[0], before + from - ms(100), before + from + ms(120), `the beginning of ${index}`)
        assertBetween(places(notified, 'stopped').at(-1), before + to - ms(200), before + to + ms(150), `the end of ${index}`)
        assert.deepEqual(
          notified.map(({ what }) => what),
          notified.map((_, i) => (i % 2 === 0 ? 'started' : 'stopped')),
        )
        for (let i = 1; i < notified.length; i++) assertBetween(notified[i]?.at, notified[i - 1]?.at ?? 0, Infinity, 'one after the other')
      })
      await Promise.all(calls)
    })

    test('reports nothing for silence, soft noise and clicks', async () => {
      for (const nothing of [silence(3000), noise(3000, 60), concat(silence(300), clicks(8))])
        assert.deepEqual(await scheduleNotification(vad(), nothing), [])
    })

    const takesNoTone = async (): Promise<void> => {
      const ringing = sine([440, 480], 2000, 8000)
      for (const tone of [keys, ringing, tones.ringback(8000), tones.busy(8000), noise(2000, 1200)]) {
        const notified = await scheduleNotification(vad(), concat(silence(500), tone, tone, silence(300)))
        assert.deepEqual(places(notified, 'started'), [])
      }
    }
    if (!takesTonesForSpeech) test('detects no tone as a voice', takesNoTone)

    test('distinguishes the tone of an answering machine from others', async () => {
      for (const hertz of [440, 800, 1000, 1400, 2000]) {
        const notified = await scheduleNotification(vad(), concat(silence(500), sine([hertz], 300, 8000), silence(300)))
        const beeps = places(notified, 'beep')
        assert.equal(beeps.length, 1, `${hertz} Hz`)
        assertBetween(beeps[0], ms(700), ms(900), `${hertz} Hz`)
      }
      const others = [
        keys,
        sine([440, 480], 800, 8000),
        tones.ringback(8000),
        sine([1000], 100, 8000),
        sine([300], 400, 8000),
        voice(0),
        voice(1),
      ]
      for (const other of others)
        assert.deepEqual(places(await scheduleNotification(vad(), concat(silence(300), other, silence(300))), 'beep'), [])
    })

    test('ignores the echo of sent sound, and hears the caller through it', async () => {
      const sent = concat(silence(200), voice(0), voice(1), voice(2), voice(0), voice(1), silence(400))
      for (const delay of [20, 60, 150]) {
        const echo = added(new Int16Array(sent.length), scaled(sent, -20), ms(delay))
        assert.deepEqual(await scheduleNotification(vad(), echo, sent), [], `an echo after ${delay} ms`)
        const from = ms(200) + voice(0).length + voice(1).length
        const notified = await scheduleNotification(vad(), added(echo, voice(3), from), sent)
        const caller = bounds(voice(3))
        assertBetween(places(notified, 'started')[0], from + caller.from - ms(150), from + caller.from + ms(300), 'the caller')
      }
    })

    test('returns the speech sample by sample while nothing is sent', async () => {
      const said = overTheLine(concat(silence(100), voice(0), silence(100)))
      const { ear, say, hangUp } = openLeg(vad())
      await say(said)
      await hangUp()
      const whole = said.subarray(0, said.length - (said.length % blockSamples))
      assert.ok(ear.track.length >= whole.length)
      assert.deepEqual(ear.track.read(0, whole.length), whole)
    })

    test('ends the word when the leg ends during it, and reports nothing more', async () => {
      const { told: notified, ear, say, hangUp } = openLeg(vad())
      await say(overTheLine(concat(silence(500), voice(0).subarray(0, bounds(voice(0)).from + ms(400)))))
      await hangUp()
      assert.equal(notified[0]?.what, 'started')
      assert.equal(notified.at(-1)?.what, 'stopped')
      assert.ok(ear.track.ended)
    })

    test('reports nothing more after a close, while the others continue', async () => {
      const [one, other] = [openLeg(vad()), openLeg(vad())]
      await one.say(silence(200))
      one.ear.close()
      one.ear.close()
      assert.ok(one.ear.track.ended)
      await one.ring.hasCapacity(Infinity)
      assert.ok(one.ring.ended, 'let go of')
      await other.say(overTheLine(concat(silence(500), voice(1), silence(500))))
      await other.hangUp()
      assert.ok(places(other.told, 'started').length > 0)
      assert.deepEqual(one.told, [])
    })

    test('reports nothing after the end of everything', async () => {
      const last = openLeg(vad())
      await opened?.close()
      assert.ok(last.ear.track.ended)
      assert.deepEqual(last.told, [])
      const late = openLeg(vad())
      await late.ear.track.reaches(Infinity)
      assert.deepEqual(
        late.told.map(({ what }) => what),
        ['lost'],
      )
      late.ear.close()
    })
  })
}
