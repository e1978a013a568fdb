import { setTimeout as sleep } from 'node:timers/promises'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { until } from '#test/machine/peer-process.ts'
import { openStage, seenTurns, type SeenTurn } from '../shared/assistant-stage.ts'
import { readTurnSet } from '../conversation/sets/turn-set.ts'
import { percentile, spread } from '../shared/percentiles.ts'
import { TalkingPhone, utteranceOf, type SaidAt } from './talking-phone.ts'

/**
 * One caller, a recording of a person, talks with an assistant over real SIP and RTP, alternating sentences and short answers. Measures the time
 * from the last voiced sample to the webhook, from its answer to the first sound, and how long the assistant keeps speaking after an interruption.
 * `node bench/assistant/turns.ts [turns]`. The start and end of a turn on the line are known from the recording (-40 dB below its loudest sample);
 * inside, the program's own log of each turn shows how the time was spent.
 */
const turns = Number(process.argv[2] ?? 40)
const cachedSentence = 'One moment, please.'
/** The first turns of each kind load models, open connections and fill caches. */
const warmUps = 2
const betweenTurnsMs = 400
const timeoutMs = 15_000

type Kind = 'sentence' | 'short answer'

interface Exchanged {
  kind: Kind
  /** Turn number within the session. */
  turn: number
  said: SaidAt
  repliedAt: number
  cached: boolean
  /** First packet of the answer, and first audible one: synthesised voices start softly. */
  firstSoundAt: number | undefined
  audibleAt: number | undefined
}

const rows = await readTurnSet('development')
const sentences = rows.filter(({ kind }) => kind === 'whole')
const shortAnswers = rows.filter(({ kind }) => kind === 'short')
/** No two texts start alike, so none is cached from another. */
const texts = [...new Map(sentences.map(({ text }) => [text.split(/[,.]/)[0], text])).values()]
const textOf = (nth: number): string => texts[nth % texts.length] ?? ''
const kindOf = (nth: number): Kind => (nth % 2 === 0 ? 'sentence' : 'short answer')
const said = { sentence: sentences, 'short answer': shortAnswers }
/** Picks utterances spread over the whole list. */
const utterance = (nth: number) => {
  const recordings = said[kindOf(nth)]
  return utteranceOf(recordings[(Math.floor(nth / 2) * 3) % recordings.length]?.samples ?? new Int16Array(160))
}

let answer: { text: string; barge_in: object } = { text: cachedSentence, barge_in: { strategy: 'none' } }
const repliedAt: number[] = []
const stage = await openStage(
  ({ type, session }) => {
    if (type === 'user_speak') repliedAt.push(performance.now())
    return type === 'user_speak' || type === 'session_start' ? { type: 'speak', session_id: session.id, ...answer } : undefined
  },
  { OFFHOOK_SPEECH: 'embedded' },
)
const { endpoint } = stage
const eventsOf = (type: AssistantEvent['type']) => endpoint.events.filter(({ body }) => body.type === type)
const happened = (type: AssistantEvent['type'], count: number) =>
  until(`${count} × ${type}`, () => (eventsOf(type).length >= count ? eventsOf(type)[count - 1] : undefined), timeoutMs)
const number = await stage.newFlow()
await stage.idle()

/** Runs one turn. Undefined if the recogniser split it or made no turn. */
const takeTurn = async (phone: TalkingPhone, nth: number): Promise<Exchanged | undefined> => {
  const cached = nth % 4 < 2
  const [turnsBefore, spokenBefore] = [eventsOf('user_speak').length, eventsOf('assistant_speak').length]
  answer = { text: cached ? cachedSentence : textOf(nth), barge_in: { strategy: 'none' } }
  const said = await phone.say(utterance(nth))
  const heard = await happened('user_speak', turnsBefore + 1).catch(() => undefined)
  if (!heard || heard.at < said.last) {
    await sleep(5_000)
    return undefined
  }
  await happened('assistant_speak', spokenBefore + 1)
  const replied = repliedAt[turnsBefore] ?? NaN
  const turn = Number(heard.headers['x-offhook-turn'])
  return { kind: kindOf(nth), turn, said, repliedAt: replied, cached, ...phone.firstSounds(replied) }
}

const converse = async (): Promise<(Exchanged | undefined)[]> => {
  const phone = await TalkingPhone.open(stage.scope, stage.exchange)
  await phone.dial(number)
  await happened('assistant_speak', 1)
  const exchanged: (Exchanged | undefined)[] = []
  for (let nth = 0; nth < turns + warmUps; nth++) {
    await sleep(betweenTurnsMs)
    exchanged.push(await takeTurn(phone, nth))
  }
  await phone.hangUp()
  return exchanged
}

/** Milliseconds from the first voiced sample to the last packet with sound, per interruption. */
const interrupt = async (): Promise<(number | undefined)[]> => {
  const phone = await TalkingPhone.open(stage.scope, stage.exchange)
  const longText = Array.from({ length: 12 }, (_, nth) => textOf(nth)).join(' ')
  answer = { text: longText, barge_in: { strategy: 'immediate' } }
  let since = performance.now()
  await phone.dial(number)
  const cuts: (number | undefined)[] = []
  for (let nth = 0; nth < turns + warmUps; nth++) {
    await until('the assistant speaks', () => phone.firstSounds(since).audibleAt, timeoutMs)
    await sleep(1_000 + 37 * (nth % 20))
    const turnsBefore = eventsOf('user_speak').length
    const { first } = await phone.say(utterance(nth))
    const { at } = await happened('user_speak', turnsBefore + 1)
    const last = phone.lastSound(first - 100, at)
    cuts.push(last === undefined ? undefined : last - first)
    since = at
  }
  await phone.hangUp()
  return cuts
}

/** Splits a turn's time into stages. Timer delay beyond the configured silence counts as endpointing. */
const splitOf = ({ kind, said, webhookAt, decidedAt, speechEndedAt, ...logged }: SeenTurn & Exchanged) => {
  const recognition = Math.max(0, logged.sttFinalMs - logged.endpointMs)
  return {
    kind,
    total: webhookAt - said.last,
    endpointing: decidedAt - said.last - recognition,
    recognition,
    ours: webhookAt - decidedAt,
    /** Offset of the detected end of speech from the real one. */
    detector: speechEndedAt - said.last,
    wordsKnown: logged.sttFinalMs,
    silence: logged.endpointMs,
  }
}

const exchanged = await converse()
const cuts = (await interrupt()).slice(warmUps)
const logged = await stage.close()
const session = endpoint.events.find(({ body }) => body.type === 'user_speak')?.body.session.id
const seen = seenTurns(endpoint, logged).filter(({ callId }) => callId === session)
const measured = exchanged.slice(warmUps).flatMap((one) => {
  const turn = one && seen.find(({ turn }) => turn === one.turn)
  return turn ? [splitOf({ ...turn, ...one })] : []
})
type Part = Exclude<keyof (typeof measured)[number], 'kind'>
const of = (what: Part, kind?: Kind) =>
  spread(measured.filter((turn) => kind === undefined || turn.kind === kind).map((turn) => turn[what]))
/** Milliseconds from the caller's last sound to the first sound of an uncached answer. */
const wholeTurn = (kind?: Kind) => {
  const answered = exchanged.slice(warmUps).filter((one) => one !== undefined && !one.cached && (kind === undefined || one.kind === kind))
  return spread(answered.map((one) => (one?.firstSoundAt ?? NaN) - (one?.said.last ?? NaN)))
}
const msTo = (which: 'firstSoundAt' | 'audibleAt', cached: boolean): { p50: number; p95: number } => {
  const answered = exchanged.slice(warmUps).filter((one) => one !== undefined && one.cached === cached)
  return spread(answered.map((one) => (one?.[which] ?? NaN) - (one?.repliedAt ?? NaN)))
}

console.log(
  JSON.stringify({
    bench: 'turns',
    what: 'last voiced sample sent to webhook received, ms',
    turns: measured.length,
    ...of('total'),
    sentences: of('total', 'sentence'),
    shortAnswers: of('total', 'short answer'),
    endpointing: of('endpointing'),
    recognition: of('recognition'),
    ours: of('ours'),
    oursGoal: { p95: 20 },
    detectorBesideTruth: of('detector'),
    wordsKnownAfter: of('wordsKnown'),
    silence: of('silence'),
    notOneTurn: exchanged.filter((one) => one === undefined).length,
  }),
)
console.log(
  JSON.stringify({
    bench: 'turns',
    what: 'last voiced sample sent to first RTP packet with sound, answer at once and never said before, ms',
    ...wholeTurn(),
    sentences: wholeTurn('sentence'),
    shortAnswers: wholeTurn('short answer'),
    goal: { p50: 700, sentencesP50: 760, shortAnswersP50: 600 },
  }),
)
console.log(
  JSON.stringify({
    bench: 'turns',
    what: 'answer sent to first RTP packet with sound, ms',
    answers: exchanged.slice(warmUps).filter((one) => one !== undefined).length,
    cached: msTo('firstSoundAt', true),
    cachedGoal: { p95: 30 },
    embeddedVoice: msTo('firstSoundAt', false),
    cachedAudible: msTo('audibleAt', true),
    embeddedVoiceAudible: msTo('audibleAt', false),
  }),
)
const cut = cuts.filter((ms) => ms !== undefined)
console.log(
  JSON.stringify({
    bench: 'turns',
    what: 'first voiced sample sent to last RTP packet with sound, barge-in immediate, ms',
    interruptions: cut.length,
    ...spread(cut),
    worst: percentile(cut, 1),
    goal: { p50: 150, p95: 300 },
    assistantWasSilent: cuts.length - cut.length,
  }),
)
