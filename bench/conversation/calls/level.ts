import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { openStage, type Stage } from '../../shared/assistant-stage.ts'
import { cpuSeconds } from '../../shared/child.ts'
import { rounded } from '../../shared/percentiles.ts'
import { sampleOf, type Options, type Strategy, type TurnTaking } from '../options.ts'
import { watchMachine } from '../report/machine.ts'
import { ms, percent, plain, table, type Row } from '../report/rows.ts'
import { scoreInterruptions, type InterruptionOutcome } from '../scoring/interruptions.ts'
import { scoreUtterances, type UtteranceOutcome } from '../scoring/utterances.ts'
import { readShouts } from '../sets/game-voices.ts'
import type { Recording } from '../sets/recording.ts'
import { Caller } from './caller.ts'
import { interruptOnce, listenWithEcho } from './interruptions.ts'
import { sayAll, type Utterance } from './utterances.ts'
import { betweenTurnsMs, readUtterances } from './what-is-said.ts'

interface Input {
  english: string
  whisper: string
  turnTaking: TurnTaking
  bargeIn: Strategy
}

/** All sentences differ, so none comes from the cache. */
const longSpeech = (nth: number): string =>
  Array.from(
    { length: 8 },
    (_, part) => `Number ${nth * 8 + part}: the office is open on all days but Sunday, and the bus stops right before the door.`,
  ).join(' ')

const utterancesPerCall = 12
const echoSeconds = 25
const echoDelaysMs = [40, 120]

/** Runs each kind of conversation over SIP and RTP with the whole service, several concurrently. */
export const runCalls = async (options: Options): Promise<void> => {
  for (const english of options.english)
    for (const whisper of options.whisper)
      for (const turnTaking of options.turnTaking)
        for (const bargeIn of options.bargeIn) await runSetting({ english, whisper, turnTaking, bargeIn }, options)
}

const runSetting = async (input: Input, options: Options): Promise<void> => {
  // Read before starting the service: they may be missing.
  const [said, shouted] = [await readUtterances(options), await readInterruptions(options)]
  let answers = 0
  const talkers = new Set<string>()
  const answer = ({ type, session }: AssistantEvent): object | undefined => {
    const speaks = talkers.has(session.phone_number) ? type === 'session_start' : type === 'user_speak'
    if (!speaks) return undefined
    const text = talkers.has(session.phone_number) ? longSpeech(++answers) : `That was number ${++answers}.`
    return { type: 'speak', session_id: session.id, text }
  }
  const stage = await openStage(answer, { OFFHOOK_SPEECH: 'embedded', OFFHOOK_ENGLISH: input.english, OFFHOOK_WHISPER: input.whisper })
  const newCaller = async (talks: boolean): Promise<Caller> => {
    const number = await stage.newFlow(flowOf(input, options))
    if (talks) talkers.add(number.replace('+', ''))
    return new Caller(stage, number)
  }
  const callersOf = (talks: boolean) => Promise.all(Array.from({ length: options.calls }, () => newCaller(talks)))
  const [listened, interrupted] = [await callersOf(false), await callersOf(true)]
  await stage.idle()
  const [machine, cpu] = [watchMachine(), cpuSeconds(stage.pid)]
  const outcomes = await utterances(listened, said)
  const cuts = await interruptions(interrupted, shouted)
  const echo = cuts.length > 0 ? await withEcho(interrupted) : 0
  const seconds = [...listened, ...interrupted].reduce((sum, caller) => sum + caller.seconds, 0)
  const busy = {
    ...machine(),
    cpuMsPerCallSecond: rounded(((cpuSeconds(stage.pid) - cpu) * 1000) / seconds),
    callSeconds: Math.round(seconds),
  }
  await closeQuietly(stage)
  notify(input, options, { outcomes, cuts, echo }, busy)
}

const flowOf = ({ turnTaking, bargeIn }: Input, { language, folder }: Options) => ({
  turn_taking: turnTaking,
  barge_in: { strategy: bargeIn },
  extended_events: true as const,
  ...(folder !== undefined && { language }),
})

const utterances = async (callers: readonly Caller[], all: readonly Utterance[]): Promise<UtteranceOutcome[]> => {
  const waiting = all.values()
  const outcomes: UtteranceOutcome[] = []
  const work = async (caller: Caller): Promise<void> => {
    for (;;) {
      const some = await sayAll(caller, waiting, utterancesPerCall)
      outcomes.push(...some)
      if (some.length < utterancesPerCall) return
    }
  }
  await Promise.all(callers.map(work))
  return outcomes
}

const readInterruptions = async (options: Options): Promise<Recording[]> =>
  options.folder === undefined && options.measures.includes('interruptions') ? sampleOf(await readShouts(options.half), options) : []

const interruptions = async (callers: readonly Caller[], shouted: readonly Recording[]): Promise<InterruptionOutcome[]> => {
  const waiting = shouted.values()
  const outcomes: InterruptionOutcome[] = []
  const work = async (caller: Caller): Promise<void> => {
    for (const recording of waiting) outcomes.push(await interruptOnce(caller, recording))
  }
  await Promise.all(callers.map(work))
  return outcomes
}

const withEcho = async (callers: readonly Caller[]): Promise<number> => {
  const stops = await Promise.all(
    callers.map((caller, nth) => listenWithEcho(caller, echoDelaysMs[nth % echoDelaysMs.length] ?? 80, echoSeconds)),
  )
  return stops.reduce((sum, one) => sum + one, 0)
}

const closeQuietly = async (stage: Stage): Promise<void> => void (await stage.close())

interface Heard {
  outcomes: readonly UtteranceOutcome[]
  cuts: readonly InterruptionOutcome[]
  echo: number
}

const share = ({ wrong, of }: { wrong: number; of: number }): string => `${wrong} of ${of}`

const notify = (input: Input, options: Options, { outcomes, cuts, echo }: Heard, busy: Record<string, number>): void => {
  const score = scoreUtterances(outcomes)
  const stops = cuts.length > 0 ? scoreInterruptions(cuts) : undefined
  const setting = { set: options.folder ?? options.half, ...input, calls: options.calls }
  console.log(
    JSON.stringify({
      bench: 'conversation',
      level: 'calls',
      ...setting,
      ...score,
      ...(stops && { interruptions: stops, echoStops: echo }),
      machine: busy,
    }),
  )
  const rows: Row[] = [
    plain(`word errors, ${score.words.recordings} utterances`, `${percent(score.words.errorRate)}, ${score.words.exact} exact`),
    plain('one utterance made several turns', share(score.split)),
    plain('the same with a pause of 0.7 s inside a sentence', share(score.splitInPause)),
    plain(`two turns ${betweenTurnsMs / 1000} s apart made one`, share(score.merged)),
    plain('not heard at all', share(score.unheard)),
    plain('last voiced sample → webhook, sentences: p50, p95', `${ms(score.sentenceMs.p50)}, ${ms(score.sentenceMs.p95)}`),
    plain('the same, short answers', `${ms(score.shortMs.p50)}, ${ms(score.shortMs.p95)}`),
    plain('answer → first sound, never said before: p50, p95', `${ms(score.firstSoundMs.p50)}, ${ms(score.firstSoundMs.p95)}`),
    ...(stops
      ? [
          plain('coughs, laughs, groans that stopped the assistant', `${stops.falseStops} of ${stops.wordless}`),
          plain('shouts with words that stopped it', `${stops.stops} of ${stops.words}, ${stops.missed} missed`),
          plain('voice → last sound: p50, p95', `${ms(stops.reactionMs.p50)}, ${ms(stops.reactionMs.p95)}`),
          plain(`stopped by its own echo at −20 dB, ${options.calls} × ${echoSeconds} s`, echo),
        ]
      : []),
    plain('CPU for each second of a call', `${busy.cpuMsPerCallSecond ?? 0} ms`),
    plain('the machine was busy', `${Math.round(100 * (busy.busy ?? 0))} % of ${busy.processors} processors`),
  ]
  console.error(
    table(
      Object.entries(setting)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', '),
      rows,
    ),
  )
}
