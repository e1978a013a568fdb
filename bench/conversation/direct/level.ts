import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { MeasureName, Options, Strategy, TurnTaking } from '../options.ts'
import { watchMachine } from '../report/machine.ts'
import { plain, table, type Row } from '../report/rows.ts'
import { NotInstalled } from '../sets/packages.ts'
import { readFolder } from '../sets/own-folder.ts'
import { NoRecordings, type Recording } from '../sets/recording.ts'
import { backchannelRows, backchannels } from './backchannels.ts'
import { callerRows, callers } from './callers-level.ts'
import { openListener, type Listener, type ModelChoice } from './listener.ts'
import { noisyRows, noisyWords } from './noisy-words.ts'
import { previewRows, previews } from './previews.ts'
import type { Setting } from './rehearsal.ts'
import * as turns from './turn-level.ts'
import * as words from './words-level.ts'

interface Measured {
  figures: unknown
  rows: Row[]
}

interface Input extends Setting {
  turnTaking: TurnTaking
  strategy: Strategy
}

const measured = <T>(figures: T, rowsOf: (figures: T) => Row[]): Measured => ({ figures, rows: rowsOf(figures) })

/** Measures that do not depend on the flow's settings run once per model. */
const ofModel = new Set<MeasureName>(['words', 'languages', 'callers', 'noise'])

type Measure = (listener: Listener, input: Input, options: Options) => Promise<Measured>

const measures: Record<MeasureName, Measure> = {
  words: async (listener, _, options) => measured(await words.englishWords(listener, options), words.englishRows),
  languages: async (listener, _, options) => measured(await words.otherLanguages(listener, options), words.languageRows),
  callers: async (listener, _, options) => measured(await callers(listener, options), callerRows),
  noise: async (listener, _, options) => measured(await noisyWords(listener, options), noisyRows),
  noises: async (listener, input, options) => measured(await turns.noises(listener, input, options), turns.noiseRows),
  turns: async (listener, input, options) => measured(await turns.turnTaking(listener, input, options), turns.turnRows),
  digits: async (listener, input) => measured(await turns.dictation(listener, input), turns.dictationRows),
  interruptions: async (listener, input, options) => measured(await turns.interruptions(listener, input, options), turns.interruptionRows),
  backchannels: async (listener, input) => measured(await backchannels(listener, input), backchannelRows),
  previews: async (listener, input, options) => measured(await previews(listener, input, options), previewRows),
}

/** Reports missing packages and skips their rows. */
const unlessMissing = async (name: string, work: () => Promise<Measured>): Promise<Measured | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    console.error(`${name}: left out; ${error.message}`)
    return undefined
  }
}

const flowOf = (turnTaking: TurnTaking, strategy: Strategy): FlowSettings => ({ turnTaking, bargeIn: { strategy } })

const notify = (setting: object, results: readonly (readonly [string, Measured])[], machine: object): void => {
  console.log(
    JSON.stringify({
      bench: 'conversation',
      level: 'direct',
      ...setting,
      machine,
      ...Object.fromEntries(results.map(([name, { figures }]) => [name, figures])),
    }),
  )
  const title = Object.entries(setting).map(([name, value]) => `${name} ${String(value)}`)
  console.error(
    table(
      title.join(', '),
      results.flatMap(([, { rows }]) => rows),
    ),
  )
}

/** Recogniser, turn taking and interruption without calls: deterministic figures, faster than real time. */
export const runDirect = async (options: Options): Promise<void> => {
  for (const english of options.english) for (const whisper of options.whisper) await runModel({ english, whisper }, options)
}

const runModel = async (choice: ModelChoice, options: Options): Promise<void> => {
  const own = options.folder === undefined ? undefined : await readFolder(options.folder, options.language)
  const listener = await openListener(choice)
  try {
    if (own) for (const turnTaking of options.turnTaking) await runFolder(listener, options, own, turnTaking)
    else await runSets(listener, options)
  } finally {
    await listener.close()
  }
}

const runSets = async (listener: Listener, options: Options): Promise<void> => {
  const run = async (names: readonly MeasureName[], setting: Record<string, string>, input: Input): Promise<void> => {
    if (names.length === 0) return
    const stop = watchMachine()
    const results: [string, Measured][] = []
    for (const name of names) {
      const result = await unlessMissing(name, () => measures[name](listener, input, options))
      if (result) results.push([name, result])
    }
    if (results.length > 0) notify({ set: options.half, ...listener.choice, ...setting }, results, stop())
  }
  const usual: Input = { turnTaking: 'normal', strategy: 'words', flow: {}, language: 'en' }
  await run(
    options.measures.filter((name) => ofModel.has(name)),
    {},
    usual,
  )
  const others = options.measures.filter((name) => !ofModel.has(name))
  for (const turnTaking of options.turnTaking)
    for (const strategy of options.bargeIn)
      await run(
        others,
        { 'turn taking': turnTaking, 'barge-in': strategy },
        { ...usual, turnTaking, strategy, flow: flowOf(turnTaking, strategy) },
      )
}

/** The operator's own recordings: word errors, and whether each is one turn. */
const runFolder = async (listener: Listener, options: Options, own: readonly Recording[], turnTaking: TurnTaking): Promise<void> => {
  const strange = own.find(({ language }) => !listener.stt.hears(language))
  if (strange) throw new NoRecordings(`--set: no recogniser knows the language "${strange.language}" of ${strange.name}`)
  const stop = watchMachine()
  const score = await words.scoreSet(listener, own)
  const turnScore = await turns.ownTurns(listener, { flow: { turnTaking }, language: options.language }, own)
  const rows = [
    plain(`recordings, words`, `${score.recordings}, ${score.words}`),
    plain('word errors', `${(100 * score.errorRate).toFixed(1)} %, ${score.exact} exact, ${score.lost} lost`),
    plain('CPU for each second', `${score.cpuPerSecond.toFixed(3)} s`),
    plain('made one turn, several, none', `${turnScore.one}, ${turnScore.several}, ${turnScore.none}`),
    plain('voice over → turn, p50, p95', `${turnScore.delayMs.p50}, ${turnScore.delayMs.p95} ms`),
  ]
  notify(
    { set: options.folder, ...listener.choice, 'turn taking': turnTaking },
    [['own', { figures: { ...score, ...turnScore }, rows }]],
    stop(),
  )
}
