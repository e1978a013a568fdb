import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { TimelineEntry, TimelineEntryOf, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import type { LabRun, RecordedSpeech, RecordedRequest, VoiceAt } from '#core/kernel/ports/speech.ts'
import { isBackChannel } from '../session/floor/interruption.ts'

/** Events of a call from its timeline. Times are milliseconds since the recording began. */
interface RecordedCall {
  flowId: string | undefined
  voice: VoiceAt[]
  speeches: RecordedSpeech[]
  wishes: RecordedRequest[]
  live: LabRun
  /** Typical delay of the recogniser. */
  recogniserMs: number
  /** End of the assistant's part of the call. */
  endMs: number | undefined
}

/** Silence after which the recogniser is asked, in milliseconds. */
const askedAfterMs = 120
const defaultRecogniserMs = 150

/** `entries`: of the whole call, in order; `recordedAt`: milliseconds since the epoch. */
export const readRecordedCall = (entries: readonly TimelineEntry[], recordedAt: number, language: string): RecordedCall => {
  const flowId =
    entries.find(({ kind, flowId: flow }) => kind === 'turn' && flow !== undefined)?.flowId ?? entries.find((one) => one.flowId)?.flowId
  const own = entries.filter((one) => one.flowId === flowId)
  const since = (at: number): number => Math.round(at - recordedAt)
  const actions = of(own, 'action').map(({ eventId, at, action }) => ({ eventId, atMs: since(at), action: action as Action }))
  const speeches = speechesOf(own, actions, since)
  const end = own.find((one) => one.kind === 'event' && one.type === 'session_end') ?? entries.findLast(isEnd)
  return {
    flowId,
    voice: of(own, 'voice').map(({ speaking, at, sample }) => ({ speaks: speaking, atMs: since(at), sample })),
    speeches,
    wishes: actions.flatMap(({ atMs, action }) => inputOf(action).map((input) => ({ ...input, atMs }))),
    live: liveRun(own, since, language),
    recogniserMs: recogniserMs(of(own, 'turn')),
    endMs: end && since(end.at),
  }
}

const isEnd = (entry: TimelineEntry): boolean => entry.kind === 'call' && (entry.state === 'ended' || entry.state === 'transferred')

const of = <K extends TimelineKind>(entries: readonly TimelineEntry[], kind: K): TimelineEntryOf<K>[] =>
  entries.filter((entry): entry is TimelineEntryOf<K> => entry.kind === kind)

interface Acted {
  eventId: string
  atMs: number
  action: Action
}

const inputOf = (action: Action): Omit<RecordedRequest, 'atMs'>[] => {
  if (action.type === 'configure_transcription') {
    const { vad, turn_taking, languages } = action
    return [{ ...(vad && { vad }), ...(turn_taking && { turn_taking }), ...(languages && { languages }) }]
  }
  if (action.type !== 'speak') return []
  const { vad, expects, expects_digits, expects_options } = action
  const expecting = {
    ...(expects && { expects }),
    ...(expects_digits !== undefined && { expects_digits }),
    ...(expects_options && { expects_options }),
  }
  return [{ ...(vad && { vad }), expecting }]
}

type Speaking = ActionOf<'speak'> | ActionOf<'audio'>

/** Speeches of an event play in the order of its actions; the parts of a stream are one speech. */
const speechesOf = (own: readonly TimelineEntry[], actions: readonly Acted[], since: (at: number) => number): RecordedSpeech[] => {
  const waiting = actions.filter(({ action }, nth) => {
    if (action.type !== 'speak' && action.type !== 'audio') return false
    const stream = action.type === 'speak' ? action.stream_id : undefined
    return (
      stream === undefined || !actions.slice(0, nth).some(({ action: before }) => before.type === 'speak' && before.stream_id === stream)
    )
  })
  const begun = of(own, 'speaks')
  return of(own, 'spoke').map((spoke) => {
    const nth = waiting.findIndex(({ eventId }) => eventId === spoke.eventId)
    const [acted] = nth < 0 ? [] : waiting.splice(nth, 1)
    const action = acted?.action as Speaking | undefined
    const wanted = begun.find(({ eventId, at }) => eventId === spoke.eventId && Math.abs(at - spoke.startedAt) < 1000)?.text
    const text = wanted ?? spoke.text ?? ''
    return {
      eventId: spoke.eventId,
      startMs: since(spoke.startedAt),
      fullMs: spoke.completed ? spoke.playedMs : wholeMs(spoke, text),
      text,
      ...(action?.barge_in && { bargeIn: action.barge_in }),
      protect: spoke.protected === true,
      wantsAnswer: action?.type === 'speak' && (action.expects ?? 'anything') !== 'anything',
    }
  })
}

/** Full duration, estimated from the ratio of the text to its heard part. */
const wholeMs = ({ playedMs, text: heard = '' }: TimelineEntryOf<'spoke'>, wanted: string): number =>
  Math.round(playedMs * Math.max(1, heard === '' ? 1 : wanted.length / heard.length))

const recogniserMs = (turns: readonly TimelineEntryOf<'turn'>[]): number => {
  const took = turns
    .flatMap(({ sttFinalMs }) => (sttFinalMs === undefined ? [] : [Math.max(0, sttFinalMs - askedAfterMs)]))
    .toSorted((a, b) => a - b)
  return took[Math.floor(took.length / 2)] ?? defaultRecogniserMs
}

/** Turns and interruptions as decided in the call. */
const liveRun = (own: readonly TimelineEntry[], since: (at: number) => number, language: string): LabRun => {
  const sounded = of(own, 'spoke').map(({ startedAt, playedMs }) => ({ startMs: since(startedAt), endMs: since(startedAt) + playedMs }))
  const turns = own
    .flatMap((entry, nth) => liveTurn(own, entry, nth, since))
    .map((turn) => {
      const over = sounded.find(({ startMs, endMs }) => startMs <= turn.startMs && turn.startMs < endMs)
      const missed = over !== undefined && !turn.cut && turn.outcome === 'told' && turn.decidedMs < over.endMs
      return { ...turn, ...(over && { overSpeech: true as const }), missed }
    })
  const interruptions = of(own, 'spoke').flatMap(({ cutBy, startedAt, playedMs, eventId }) => {
    if (!cutBy) return []
    const atMs = since(startedAt) + playedMs
    const turn = turns.find(({ startMs, decidedMs }) => startMs <= atMs && atMs <= decidedMs + 100)
    const nothing = turn === undefined || turn.text === undefined || (cutBy.reason !== 'answer' && isBackChannel(turn.text, language))
    return [{ atMs, reason: cutBy.reason, text: cutBy.text, eventId, heardMs: playedMs, ...(nothing && { false: true as const }) }]
  })
  return { turns, interruptions }
}

type Turn = LabRun['turns'][number]

/** A delivered turn has all its times in the timeline; a back-channel has only its entry, so its end comes from VAD entries. */
const liveTurn = (own: readonly TimelineEntry[], entry: TimelineEntry, nth: number, since: (at: number) => number): Turn[] => {
  const voices = of(own.slice(0, nth), 'voice')
  const startedAt = beginningOf(own.slice(0, nth))
  const decidedMs = since(entry.at)
  if (entry.kind === 'backchannel') {
    const endMs = since(voices.findLast(({ speaking }) => !speaking)?.at ?? entry.at)
    return [
      {
        startMs: since(startedAt ?? entry.at),
        endMs,
        decidedMs,
        outcome: 'backchannel',
        text: entry.text,
        silenceMs: 0,
        cut: false,
        missed: false,
      },
    ]
  }
  if (entry.kind !== 'heard' || !entry.final || entry.typed) return []
  const times = own.slice(nth).find((one): one is TimelineEntryOf<'turn'> => one.kind === 'turn' && one.turn === entry.turn)
  const endMs = decidedMs - (times?.decidedMs ?? 0)
  return [
    {
      startMs: since(startedAt ?? entry.at),
      endMs,
      decidedMs,
      outcome: 'told',
      ...(times?.end && { rule: times.end.rule }),
      text: entry.text,
      silenceMs: times?.endpointMs ?? 0,
      cut: entry.bargedIn === true,
      missed: false,
    },
  ]
}

/** First voice since the previous turn ended. */
const beginningOf = (before: readonly TimelineEntry[]): number | undefined => {
  const last = before.findLastIndex(({ kind }) => kind === 'backchannel' || kind === 'heard')
  return before.slice(last + 1).find((one) => one.kind === 'voice' && one.speaking)?.at
}
