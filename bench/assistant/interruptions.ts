import { setTimeout as sleep } from 'node:timers/promises'
import { wavFile } from '#media/sound/wav.ts'
import { until } from '#test/machine/peer-process.ts'
import { readRecordedSpeech } from '#test/speech/recorded-speech.ts'
import { openStage } from '../shared/assistant-stage.ts'
import { percentile, spread } from '../shared/percentiles.ts'
import { levelOf, TalkingPhone, utteranceOf } from './talking-phone.ts'

/**
 * Time until a caller notices the assistant's reaction, with the default barge-in (`words`): from the first voiced sample sent to the first RTP
 * packet that is 6 dB softer, and to the last one with sound. The assistant plays speech with the same level in every 20 ms, so that its level can be
 * read from every packet; the caller is a recording of a person. `node bench/assistant/interruptions.ts [interruptions]`.
 */
const interruptions = Number(process.argv[2] ?? 36)
/** The first interruptions load models. */
const warmUps = 2
const timeoutMs = 15_000
const half = 0.5

const frame = 160
const audioSeconds = 12
const loud = 3000
const quiet = 150

/** Speech without pauses, at a constant level. */
const equallyLoud = (speech: readonly Int16Array[]): Int16Array => {
  const frames = speech.flatMap((samples) =>
    Array.from({ length: Math.floor(samples.length / frame) }, (_, nth) => samples.subarray(nth * frame, (nth + 1) * frame)),
  )
  const voiced = frames.filter((samples) => levelOf(samples) > quiet).slice(0, audioSeconds * 50)
  return Int16Array.from(
    voiced.flatMap((samples) => Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, (sample * loud) / levelOf(samples))))),
  )
}

const speech = (await readRecordedSpeech()).map(({ samples }) => samples)
const audio = Buffer.from(wavFile(equallyLoud(speech.toReversed()), 8000)).toString('base64')
const utterances = speech.map(utteranceOf)
const stage = await openStage(
  ({ type, session }) => (type === 'session_start' || type === 'user_speak' ? { type: 'audio', session_id: session.id, audio } : undefined),
  { OFFHOOK_SPEECH: 'embedded' },
)
const number = await stage.newFlow({})
await stage.idle()

interface Reaction {
  softerMs: number | undefined
  stoppedMs: number | undefined
}

const phone = await TalkingPhone.open(stage.scope, stage.exchange)
const notifications = () => stage.endpoint.events.filter(({ body }) => body.type === 'user_speak')

const interruptOnce = async (nth: number, since: number): Promise<Reaction & { at: number }> => {
  await until('the assistant sounds', () => phone.firstSounds(since).audibleAt, timeoutMs)
  await sleep(800 + 37 * (nth % 20))
  const before = notifications().length
  const { first } = await phone.say(utterances[nth % utterances.length] ?? utteranceOf(new Int16Array(160)))
  const { at } = await until('the words came', () => notifications()[before], timeoutMs)
  const full = percentile(
    phone.sounds.filter((sound) => sound.at > first - 400 && sound.at < first).map(({ level }) => level),
    half,
  )
  const softer = phone.sounds.find((sound) => sound.at >= first && sound.at <= at && sound.level < full * half)
  const last = phone.lastSound(first - 100, at)
  return { at, softerMs: softer && softer.at - first, stoppedMs: last === undefined ? undefined : last - first }
}

let since = performance.now()
await phone.dial(number)
const reactions: Reaction[] = []
for (let nth = 0; nth < interruptions + warmUps; nth++) {
  const reaction = await interruptOnce(nth, since)
  reactions.push(reaction)
  since = reaction.at
}
await phone.hangUp()
await stage.close()

const measured = reactions.slice(warmUps)
const softer = measured.flatMap(({ softerMs }) => softerMs ?? [])
const stopped = measured.flatMap(({ stoppedMs }) => stoppedMs ?? [])
console.log(
  JSON.stringify({
    bench: 'interruptions',
    what: 'first voiced sample sent to first RTP packet that is 6 dB softer, barge-in by words, ms',
    interruptions: measured.length,
    softer: { count: softer.length, ...spread(softer), worst: percentile(softer, 1) },
    goal: { p95: 250 },
    /** Stopped by recognised words or at the end of the turn. */
    stopped: { count: stopped.length, ...spread(stopped), worst: percentile(stopped, 1) },
    stoppedGoal: { p50: 500, p95: 950 },
  }),
)
