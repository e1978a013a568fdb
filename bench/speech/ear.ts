import { join } from 'node:path'
import { SileroDetector } from '#adapters/speech/vad/silero-detector.ts'
import { StreamVad } from '#adapters/speech/vad/stream-vad.ts'
import { modelsFolder } from '#adapters/speech/models/model-list.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { readRecordedSpeech, withPauses } from '#test/speech/recorded-speech.ts'
import { randomOf } from '#test/sound/spectrum.ts'
import { rounded, spread } from '../shared/percentiles.ts'
import { throughG711 } from '../shared/through-g711.ts'

/**
 * The VAD with its echo canceller on recorded speech after G.711: CPU per second of a call when 32 calls share a thread, the delay of the start and
 * end of speech (in audio time; without the next poll, at most 10 ms later), and how often the assistant's echo counts as a caller.
 * `node bench/speech/ear.ts`.
 */
interface Call {
  heard: Int16Array
  sent: Int16Array
}

interface Told {
  what: 'started' | 'stopped'
  /** Sample position at which the VAD reported it. */
  told: number
}

const block = 160
const batch = 32
const detector = await SileroDetector.load(join(modelsFolder(process.env['OFFHOOK_MODELS']) ?? '', 'vad', 'silero_vad_v6.onnx'))
const random = randomOf(1)

/** Line noise plus speech. */
const line = (length: number, said: (i: number) => number): Int16Array =>
  throughG711(new Int16Array(length).map((_, i) => said(i) + (random() + random() + random() - 1.5) * 10))

/** Processes all calls in parallel, block by block, as the VAD thread does. */
const listenTo = (calls: readonly Call[]): Told[][] => {
  let now = 0
  const vadPool = calls.map((call) => {
    const [ring, notified] = [SampleRing.of(4 * block), [] as Told[]]
    const note = (what: Told['what']) => () => void notified.push({ what, told: now + block })
    const observer = { started: note('started'), stopped: note('stopped') }
    const track = SoundTrack.of(1).buffer
    return {
      call,
      ring,
      told: notified,
      ear: new StreamVad({ sound: ring.buffer, track, detector, cancelsEcho: true, observer, beep: undefined }),
    }
  })
  const maxLength = Math.max(...calls.map(({ heard }) => heard.length))
  for (; now < maxLength; now += block) {
    for (const { call, ring } of vadPool) {
      ring.write(padded(call.heard, now))
      ring.write(padded(call.sent, now))
    }
    for (const { ear } of vadPool) if (ear.nextWindow()) ear.judge(detector.probability(ear))
  }
  return vadPool.map(({ told: notified }) => notified)
}

const padded = (sound: Int16Array, at: number): Int16Array => {
  const part = new Int16Array(block)
  part.set(sound.subarray(at, at + block))
  return part
}

const cpuOf = (call: Call): number => {
  const calls = Array.from({ length: batch }, () => call)
  listenTo(calls.slice(0, 1))
  const before = process.cpuUsage()
  listenTo(calls)
  const { user, system } = process.cpuUsage(before)
  return rounded((user + system) / 1000 / (batch * (call.heard.length / 8000)), 2)
}

/** First and last sample above 1 % of the peak. */
const bounds = (sound: Int16Array): [number, number] => {
  const loudest = sound.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)
  const isLoud = (sample: number): boolean => Math.abs(sample) > loudest / 100
  return [sound.findIndex(isLoud), sound.findLastIndex(isLoud)]
}

const recorded = await readRecordedSpeech()
const assistant = withPauses(recorded.slice(0, 24), { before: 0.3, between: 0.2 })
const nothing = new Int16Array()
const echo = (decibels: number, delayMs: number): Int16Array => {
  const gain = 10 ** (decibels / 20)
  return line(assistant.length, (i) => gain * (0.85 * (assistant[i - delayMs * 8] ?? 0) - 0.5 * (assistant[i - delayMs * 8 - 29] ?? 0)))
}

const delays = (): { onset: number[]; offset: number[] } => {
  const lead = 8000
  const callers = recorded.map(({ samples }, i) => ({ samples, lead: lead + 53 * i }))
  const calls = callers.map((one) => ({
    heard: line(one.lead + one.samples.length + 6400, (i) => one.samples[i - one.lead] ?? 0),
    sent: nothing,
  }))
  const notified = listenTo(calls)
  const since = (what: Told['what'], at: number, events: Told[]): number =>
    ((what === 'started' ? events.find((one) => one.what === what) : events.findLast((one) => one.what === what))?.told ?? Infinity) / 8 -
    at / 8
  return {
    onset: callers.map((one, i) => since('started', one.lead + bounds(one.samples)[0], notified[i] ?? [])),
    offset: callers.map((one, i) => since('stopped', one.lead + bounds(one.samples)[1], notified[i] ?? [])),
  }
}

/** The caller speaks at the same time as the assistant, with an echo of -20 dB. */
const bargeIns = (): number[] => {
  const callers = recorded
    .slice(24)
    .map(({ samples }, i) => ({ samples, at: 8000 * (3 + 2 * i), echo: echo(-20, [20, 60, 150][i % 3] ?? 0) }))
  const calls = callers.map((one) => ({
    heard: throughG711(one.echo.slice(0, one.at + one.samples.length).map((sample, i) => sample + (one.samples[i - one.at] ?? 0))),
    sent: assistant,
  }))
  const notified = listenTo(calls)
  return callers.map((one, i) => ((notified[i]?.[0]?.told ?? Infinity) - one.at - bounds(one.samples)[0]) / 8)
}

const falsePerMinute = (decibels: number): Record<string, number> => {
  const delaysMs = [20, 60, 150]
  const notified = listenTo(delaysMs.map((delayMs) => ({ heard: echo(decibels, delayMs), sent: assistant })))
  const minutes = assistant.length / 8000 / 60
  return Object.fromEntries(delaysMs.map((delayMs, i) => [`${delayMs} ms`, rounded((notified[i]?.length ?? 0) / 2 / minutes)]))
}

const tenSeconds = 80_000
const cpu = {
  silent: cpuOf({ heard: new Int16Array(tenSeconds), sent: nothing }),
  listening: cpuOf({ heard: line(tenSeconds, (i) => assistant[i] ?? 0), sent: nothing }),
  playing: cpuOf({ heard: echo(-20, 60).subarray(0, tenSeconds), sent: assistant.subarray(0, tenSeconds) }),
}
const { onset, offset } = delays()
console.log(
  JSON.stringify({
    bench: 'ear',
    cpuMsPerCallSecond: cpu,
    callsPerCore: { listening: Math.floor(1000 / cpu.listening), playing: Math.floor(1000 / cpu.playing) },
    onsetMs: spread(onset),
    offsetMs: spread(offset),
    bargeInMs: spread(bargeIns()),
    falsePerMinute: { '-20 dB': falsePerMinute(-20), '-10 dB': falsePerMinute(-10) },
  }),
)
