import { PreviewedEndpoint } from '#test/session/previewed-endpoint.ts'
import { sampleOf, type Options } from '../options.ts'
import { atLeast, atMost, ms, percent, plain, type Row } from '../report/rows.ts'
import { scorePreviews, type EndOutcome, type PauseOutcome } from '../scoring/previews.ts'
import { joined, silence, type Recording } from '../sets/recording.ts'
import { readCutSentences, readTurnSet } from '../sets/turn-set.ts'
import type { Listener } from './listener.ts'
import { sequentially, turnsIn } from './measures.ts'
import { Rehearsal, type Setting } from './rehearsal.ts'

/** Response time of the endpoint in milliseconds. */
const thinksMs = 300
/** Pauses inside sentences; the longest ones end some turns. */
const pausesMs = [300, 400, 500, 700]
const maxPauses = 200
const beforeMs = 500
/** Long enough for the answer to a turn that ends late. */
const afterMs = 4_500

/** Preview requests, sent before the end of the turn is certain: how soon the answer sounds, and whether a revoked one is ever heard. */
export const previews = async (listener: Listener, setting: Setting, options: Options) => {
  const rows = sampleOf(await readTurnSet(options.half), options).filter(({ kind }) => kind !== 'open' && kind !== 'cut')
  const ends = await sequentially(rows, (row) => endOutcome(listener, setting, row))
  const sentences = sampleOf(await readCutSentences(options.half), options)
  const paused = pausesMs.flatMap((pauseMs) =>
    sentences.map(({ parts: [first, second], ...sentence }) => ({ ...sentence, samples: joined([first, silence(pauseMs), second]) })),
  )
  const pauses = await sequentially(paused.slice(0, maxPauses), (recording) => pauseOutcome(listener, setting, recording))
  return scorePreviews(ends.flat(), pauses)
}

/** Short enough to finish before the recording ends. */
const answer = (_: string, event: number): string => `${event}.`

const converse = async (listener: Listener, setting: Setting, { samples }: Recording) => {
  const rehearsal = new Rehearsal(listener, setting)
  const endpoint = rehearsal.withEndpoint((fixture) => new PreviewedEndpoint(fixture, thinksMs, answer))
  await rehearsal.silent(beforeMs)
  await rehearsal.hear(samples)
  await rehearsal.silent(afterMs)
  const notified = [...rehearsal.told]
  endpoint.close()
  await rehearsal.close()
  return { endpoint, told: notified, spoken: notified.filter((one) => one.told === 'spoke') }
}

/** Empty for a recording without a turn; the last turn if there are several. */
const endOutcome = async (listener: Listener, setting: Setting, row: Recording): Promise<EndOutcome[]> => {
  const { endpoint, spoken } = await converse(listener, setting, row)
  const end = endpoint.turns.at(-1)
  if (!end) return []
  const asked = end.previewed ? endpoint.asked.at(-1) : undefined
  const sound = spoken.find(({ startedAt }) => startedAt >= end.at)
  return [{ aheadMs: asked && end.at - asked.at, firstSoundMs: sound && sound.startedAt - end.at }]
}

const pauseOutcome = async (listener: Listener, setting: Setting, sentence: Recording): Promise<PauseOutcome> => {
  const rehearsed = await converse(listener, setting, sentence)
  const { endpoint, spoken } = rehearsed
  const wrong = new Set(endpoint.asked.filter(({ token }) => endpoint.revoked.has(token)).map((one) => one.answer))
  return {
    revoked: wrong.size,
    soundsOfRevoked: spoken.filter(({ text = '' }) => wrong.has(text)).length,
    split: turnsIn(rehearsed).length > 1,
  }
}

export const previewRows = (score: Awaited<ReturnType<typeof previews>>): Row[] => [
  plain(`turns (${score.ends}) whose endpoint was asked before they were over`, percent(score.previewed)),
  plain('the same: so long before, p50, p95', `${ms(score.aheadMs.p50)}, ${ms(score.aheadMs.p95)}`),
  atLeast(`an endpoint that thinks for ${thinksMs} ms is heard ≤ 60 ms after the turn`, score.concurrency, 0.85, percent),
  plain('the same: turn over → first sound, p50, p95', `${ms(score.firstSoundMs.p50)}, ${ms(score.firstSoundMs.p95)}`),
  atMost(`pauses inside sentences (${score.pauses}): sounds of an answer that was revoked`, score.soundsOfRevoked, 0, String),
  plain('the same: asked in vain, turn cut in two', `${score.inVain}, ${score.split}`),
]
