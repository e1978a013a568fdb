import { TurnModel } from '#adapters/speech/turns/turn-model.ts'
import { WordsDetector } from '#adapters/speech/turns/words-detector.ts'
import type { Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { embeddedTurnDetector } from '#core/speech/turns/embedded-turn-detector.ts'
import { askAfterMs, defaultEndpointing } from '#core/speech/turns/turn-silence.ts'
import { turnModelFolder } from '#places.ts'
import type { Options } from '../options.ts'
import { ms, percent, plain, type Row } from '../report/rows.ts'
import { scoreDetector, scoreSilence, type DetectorScore, type JudgedSpan } from '../scoring/ends-of-turns.ts'
import { readPeople, readSpokenTurns, type Span } from '../sets/callers/callers.ts'
import { callerLanguages } from '../sets/callers/turns.ts'
import { secondsOf } from '../sets/recording.ts'
import type { Listener } from './listener.ts'
import { sequentially } from './measures.ts'

const never = new AbortController().signal

/** A detector as the yardstick asks it. */
interface Candidate {
  name: string
  judge: (pause: Pause) => Promise<number>
  close: () => Promise<void>
}

const candidateOf = (
  name: string,
  detector: TurnDetector,
  close: () => Promise<void>,
  before = (pause: Pause): Pause => pause,
): Candidate => ({
  name,
  judge: async (pause) => (await detector.judge(before(pause), never)).probability,
  close,
})

const openCandidates = async (files: readonly string[]): Promise<Candidate[]> => {
  const log = (code: string): never => {
    throw new Error(code)
  }
  const words = new WordsDetector(turnModelFolder, log)
  await words.prepare()
  const models = files.map((file) => new TurnModel(file, log))
  return [
    candidateOf('rule', embeddedTurnDetector, () => Promise.resolve()),
    candidateOf(
      'words',
      words,
      () => Promise.resolve(),
      ({ text, language, sound, asked }) => ({ text, language, sound, ...(asked !== undefined && { asked }) }),
    ),
    candidateOf('service', words, () => words.close()),
    ...models.map((model) => candidateOf(model.name, model, () => model.close())),
  ]
}

/** What the service knows in this silence. */
const pauseOf = async ({ stt }: Listener, { language, asked, sound }: Span): Promise<Pause> => {
  const track = SoundTrack.of(secondsOf({ samples: sound }) + 1)
  track.write(sound)
  track.end()
  const stream = stt.open(track, { languages: [language], vocabulary: [] }, { failed: () => {} })
  const { text, tail, lastSound } = await stream.transcribe(0, track.length, never)
  stream.close()
  return {
    text,
    language,
    sound: (seconds) => sound.slice(Math.max(0, sound.length - seconds * 8_000)),
    ...(asked !== undefined && { asked }),
    ...(tail && { tail }),
    ...(lastSound && { lastSound }),
  }
}

const knownAfterMs = ({ paceOf }: Listener, { language, sound, turnMs }: Span): number => {
  const { ms: fixed, msPerSecond } = paceOf(language)
  return askAfterMs(turnMs, defaultEndpointing) + fixed + msPerSecond * secondsOf({ samples: sound })
}

const scoreSpans = async (listener: Listener, candidates: readonly Candidate[], spans: readonly Span[]) => {
  const judged = new Map<string, JudgedSpan[]>(candidates.map(({ name }) => [name, []]))
  await sequentially(spans, async (span) => {
    const pause = await pauseOf(listener, span)
    if (pause.text === '') return // without words the rule of silence decides, whatever the detector
    for (const { name, judge } of candidates) {
      const { isEnd, pauseMs, language } = span
      const probability = await judge(pause)
      judged.get(name)?.push({ isEnd, pauseMs, language, text: pause.text, probability, knownAfterMs: knownAfterMs(listener, span) })
    }
  })
  const [first = []] = judged.values()
  const ends = first.filter(({ isEnd }) => isEnd).length
  const detectors: Record<string, DetectorScore> = { silence: scoreSilence(first) }
  for (const [name, rows] of judged) detectors[name] = scoreDetector(rows)
  return { ends, pauses: first.length - ends, withoutWords: spans.length - first.length, detectors }
}

/**
 * Ends of turns of callers, with the operating points of LiveKit's eot-bench. Its recordings are of people in calls; these are ours, read by the
 * embedded voices, and announcements read by people, so figures compare detectors here and not with its table.
 */
export const callers = async (listener: Listener, options: Options) => {
  const candidates = await openCandidates(options.turnModels)
  try {
    const sets: Record<string, Awaited<ReturnType<typeof scoreSpans>>> = {}
    for (const language of callerLanguages)
      sets[`${language}, voice`] = await scoreSpans(listener, candidates, await readSpokenTurns(language, options))
    sets['en, people'] = await scoreSpans(listener, candidates, await readPeople(options))
    return sets
  } finally {
    for (const { close } of candidates) await close()
  }
}

const or = (value: number | undefined, write: (value: number) => string): string => (value === undefined ? '–' : write(value))

export const callerRows = (sets: Awaited<ReturnType<typeof callers>>): Row[] =>
  Object.entries(sets).flatMap(([set, { ends, pauses, detectors }]) => [
    plain(`${set}: ends, pauses`, `${ends}, ${pauses}`),
    ...Object.entries(detectors).map(([name, score]) =>
      plain(
        `${set}, ${name}: AUC; cut at 300, 600 ms; delay at 5 %; as the service: cut, event p50, p95; cut at 600 ms`,
        [
          score.auc,
          `${or(score.cutAt300Ms, percent)}, ${or(score.cutAt600Ms, percent)}`,
          or(score.delayMsAt5Percent, ms),
          `${percent(score.service.split)}, ${ms(score.service.eventMs.p50)}, ${ms(score.service.eventMs.p95)}`,
          percent(score.serviceAt600Ms.split),
        ].join('; '),
      ),
    ),
  ])
