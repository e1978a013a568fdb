import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { extendedEvents } from '@offhook/contract/assistant/events.ts'
import { sessionEndReasons } from '@offhook/contract/assistant/session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { openTestStore } from '#test/store/databases.ts'
import { dice } from '#test/chance/dice.ts'
import { unreachable, type ScriptedChannel, type Input } from '#test/session/scripted-endpoint.ts'
import { callOut } from '#test/routing/flow-calls.ts'
import { outsideNumber } from '#test/routing/scripted-exchange.ts'
import { SessionFixture } from '#test/session/session-fixture.ts'
import { ScriptedSpeech } from '#test/speech/scripted-speech.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

type Roll = (sides: number) => number

const colleague = '+4921163559999'

const flows: FlowSettings[] = [
  {},
  { extendedEvents, transferTargets: [colleague] },
  { extendedEvents, answerAfterSeconds: 5, timeouts: { maxCallSeconds: 60, silenceSeconds: 20, userInputSeconds: 4 } },
  { fallback: { transferTo: colleague }, transferTargets: [outsideNumber], timeouts: { silenceSeconds: 30 } },
  { answeringMachineDetection: 'event', bargeIn: { strategy: 'immediate' }, extendedEvents },
  { answeringMachineDetection: 'field', bargeIn: { strategy: 'manual' } },
  { fallback: { text: 'Later' }, retryText: 'Again?', extendedEvents: ['action_discarded'] },
]

/** Random endpoint action; its text names the turn, or the preview, that it answers. */
const input = (roll: Roll, answered: string): Input => {
  const words = `${answered} ${'word '.repeat(roll(12))}`
  const inputs: (() => Input)[] = [
    () => ({ type: 'speak', text: words }),
    () => ({ type: 'speak', text: words, user_input_timeout_seconds: roll(6) }),
    () => ({ type: 'speak', text: words, stream_id: 'stream', last: roll(2) === 0 }),
    () => ({ type: 'audio', audio: '' }),
    () => ({ type: 'barge_in' }),
    () => ({ type: 'mix_audio', stop: roll(2) === 0 }),
    () => ({ type: 'configure_transcription', languages: ['en-US'] }),
    () => ({ type: 'transfer', target: roll(2) === 0 ? colleague : outsideNumber }),
    () => ({ type: 'hangup' }),
    () => ({ type: 'done' }),
    () => ({ type: 'note', name: 'model', data: { answered } }),
    () => ({ type: 'result', outcome: 'said' }),
    () => ({ type: 'send_dtmf', digits: '1w#' }),
  ]
  return (inputs[roll(15)] ?? inputs[0])?.() ?? assert.fail()
}

/** Answers immediately, late, too late, or never. */
const moody =
  (fixture: SessionFixture, roll: Roll) =>
  ({ turn, body }: OutgoingEvent): Input[] | Error | Promise<Input[] | Error> => {
    const mood = roll(20)
    if (mood === 0 || (mood < 6 && body.type === 'session_start' && roll(6) === 0)) return unreachable()
    const token = body.type === 'user_speak_preview' ? body.turn_token : undefined
    // Over a WebSocket only the endpoint knows which turn it answers.
    const meant = { ...(fixture.endpoints.duplex && (token === undefined ? { turn } : { turn_token: token })) }
    const answered = token === undefined ? `turn ${turn}` : `preview ${token}`
    const inputs = Array.from({ length: roll(3) }, () => ({ ...input(roll, answered), ...meant }))
    if (mood < 12) return inputs
    return new Promise((resolve) => fixture.exchange.clock.after(roll(8_000), () => resolve(mood === 19 ? unreachable() : inputs)))
  }

/** Caller of an assistant. */
interface Person {
  readonly closed: boolean
  says(): void
  begins(): void
  coughs(): void
  loses(): void
}

/** Callers in a scripted conversation, or in a real one. */
const people = (fixture: SessionFixture, roll: Roll, speech: ScriptedSpeech): Person[] => [
  ...fixture.conversations.map((conversation) => ({
    closed: conversation.closed,
    says: () => conversation.callerSays('words', { breaksIn: roll(4) > 0 }),
    begins: () => conversation.callerBegins(),
    coughs: () => conversation.coughs(),
    loses: () => conversation.loses(new Error('deaf')),
  })),
  ...speech.callers.map((caller) => ({
    closed: caller.closed,
    says: () => caller.says('several words'),
    begins: () => caller.says('a speech that goes on for quite a while'),
    coughs: () => caller.says('', 100),
    loses: () => caller.loses(),
  })),
]

/** Random action of a caller, an endpoint, other people or the service. */
const something = (
  fixture: SessionFixture,
  roll: Roll,
  speech: ScriptedSpeech,
  callers: ScriptedLeg[],
  numbers: readonly string[],
): (() => unknown)[] => {
  const one = <T>(list: readonly T[]): T | undefined => list[roll(list.length)]
  const person = (): Person | undefined => one(people(fixture, roll, speech).filter(({ closed }) => !closed))
  const channel = (): ScriptedChannel | undefined => one(fixture.endpoints.channels.filter(({ closed }) => !closed))
  const { exchange } = fixture
  const leg = (): ScriptedLeg | undefined => one([...callers, ...exchange.telephony.called].filter(({ over }) => !over))
  const calls = (): unknown => callers.push(exchange.telephony.arrives({ kind: 'trunk', trunkId: 't' }, one(numbers) ?? ''))
  return [
    calls,
    calls,
    () => person()?.begins(),
    () => person()?.says(),
    () => person()?.says(),
    () => person()?.says(),
    () => person()?.coughs(),
    () => leg()?.presses('5'),
    () => (roll(3) === 0 ? leg()?.hangsUp() : undefined),
    () => (roll(6) === 0 ? leg()?.dies('media_timeout') : undefined),
    () => one(exchange.ringing)?.answers(),
    () => one(exchange.ringing)?.answers(),
    () => one(exchange.ringing)?.refuses('busy', 486),
    () => (roll(20) === 0 ? person()?.loses() : undefined),
    () => (roll(20) === 0 ? channel()?.observer.lost() : undefined),
    () => fixture.endpoints.duplex && channel()?.acts(input(roll, 'nothing')),
  ]
}

/** Texts spoken in each session as an answer to a preview. */
type PreviewReplies = Map<ScriptedChannel, Set<string>>

/** An answer to an outdated turn must never be heard. */
const watchForStaleWords = ({ deps, endpoints }: SessionFixture, foretold: PreviewReplies): void => {
  const { openConversation } = deps
  deps.openConversation = (on, observer) => {
    const conversation = openConversation(on, observer)
    const place = endpoints.channels.length // both are opened together
    const say = conversation.say.bind(conversation)
    conversation.say = (action, eventId) => {
      const channel = endpoints.channels[place]
      const [, turn = Infinity] = /^turn (\d+)/.exec(action.text ?? '') ?? []
      assert.ok(Number(turn) >= (channel?.sent.at(-1)?.turn ?? 0), `an answer to turn ${turn} is spoken too late`)
      const [, token] = /^preview (\S+)/.exec(action.text ?? '') ?? []
      if (channel && token !== undefined) foretold.set(channel, (foretold.get(channel) ?? new Set()).add(token))
      say(action, eventId)
    }
    return conversation
  }
}

/** An answer to a preview is heard only if its turn ended with the same words, and the turn's event is marked as previewed. */
const checkForetold = (foretold: PreviewReplies): number => {
  let previews = 0
  for (const [{ sent }, tokens] of foretold)
    for (const token of tokens) {
      previews += 1
      const asked = sent.findIndex(({ body }) => body.type === 'user_speak_preview' && body.turn_token === token)
      const preview = sent[asked] ?? assert.fail('nobody asked for that')
      assert.ok(!sent.some(({ body }) => body.type === 'user_speak_revoked' && body.turn_token === token), 'it was taken back')
      const said = sent.slice(asked).find(({ body }) => body.type === 'user_speak')
      if (said?.body.type !== 'user_speak' || preview.body.type !== 'user_speak_preview') continue // the session ended before
      assert.deepEqual([said.turn, said.body.text, said.body.previewed], [preview.turn + 1, preview.body.text, true])
    }
  return previews
}

const endAll = async (fixture: SessionFixture, callers: readonly ScriptedLeg[], roll: Roll): Promise<void> => {
  for (const leg of callers) if (roll(2) === 0) leg.hangsUp()
  await fixture.seconds(20)
  fixture.hurry()
  const closing = fixture.exchange.callRouter.hangUpAll()
  await fixture.seconds(8) // until the last endpoint has answered, too late
  await closing
}

/** Each session has its events without a gap and in order, then one end with the right reason. */
const checkTold = async (fixture: SessionFixture): Promise<{ sessions: number; reasons: Set<string> }> => {
  const ends = Map.groupBy(await fixture.ends(), ({ sessionId }) => sessionId)
  const reasons = new Set<string>()
  let sessions = 0
  for (const { sent } of fixture.endpoints.channels) {
    assert.deepEqual(
      sent.map(({ sequence }) => sequence),
      sent.map((_, index) => index + 1),
    )
    assert.ok(sent.every(({ body }, index) => (body.type === 'session_start') === (index === 0)))
    assert.ok(sent.every(({ turn, body }, index) => turn - (sent[index - 1]?.turn ?? 0) === (body.type === 'user_speak' ? 1 : 0)))
    const [first] = sent
    if (!first) continue
    sessions += 1
    const [end, ...others] = ends.get(first.sessionId) ?? []
    assert.ok(end?.body.type === 'session_end' && others.length === 0, `${others.length + 1} ends`)
    assert.ok(end.sequence > sent.length && end.turn === sent.at(-1)?.turn)
    assert.ok(sessionEndReasons.includes(end.body.reason))
    reasons.add(end.body.reason)
    ends.delete(first.sessionId)
  }
  assert.equal(ends.size, 0, 'the end of something that did not begin')
  return { sessions, reasons }
}

interface Production {
  seed: number
  sessions: number
  /** Uses the service's listening and speaking on scripted speech. */
  real?: boolean
  duplex?: boolean
  brittle?: boolean
}

const noNetwork: OutboundHttp = { request: () => Promise.reject(new Error('no network')), close: () => Promise.resolve() }

const openStudio = async (t: TestContext, { real, duplex = false }: Production, roll: Roll) => {
  const cache = new SpeechCache({ maxBytes: 100_000 })
  const rehearsals = new Rehearsals()
  const realConversation =
    ({ exchange }: SessionFixture): SessionFixture['deps']['openConversation'] =>
    (on, observer) =>
      openConversation({ ...on, speech, clock: exchange.clock, outbound: noNetwork, cache, rehearsals }, observer)
  const fixture = new SessionFixture(await openTestStore(t, 'sqlite'), real ? { openConversation: realConversation } : {})
  const speech = new ScriptedSpeech(fixture.exchange.clock, fixture.exchange.outside)
  fixture.endpoints.reply = moody(fixture, roll)
  fixture.endpoints.duplex = duplex
  const foretold: PreviewReplies = new Map()
  watchForStaleWords(fixture, foretold)
  await fixture.exchange.addTrunk()
  return { fixture, speech, foretold }
}

const play = async (t: TestContext, production: Production): Promise<void> => {
  const { seed, sessions, brittle = false } = production
  const roll = dice(seed)
  const { fixture, speech, foretold } = await openStudio(t, production, roll)
  const customers = await Promise.all(flows.map((settings) => fixture.newCustomer(settings)))
  const callers: ScriptedLeg[] = []
  const misfortune = dice(seed + 1_000)
  if (brittle) fixture.exchange.outside.misfortune = () => misfortune(200) === 0
  const numbers = customers.map(({ number }) => number)
  const actions = something(fixture, roll, speech, callers, numbers)
  while (callers.length < sessions) {
    for (let at = roll(60); at >= 0; at--) actions[roll(actions.length)]?.()
    const customer = customers[roll(customers.length)] ?? assert.fail()
    // One call per second for each customer: a rejected one is tried another time.
    if (roll(3) === 0) await callOut(fixture.exchange, customer, outsideNumber).catch(() => {})
    await fixture.exchange.clock.advance(roll(1_500))
  }
  await endAll(fixture, callers, roll)
  fixture.exchange.outside.misfortune = () => false
  await fixture.close()
  const notified = await checkTold(fixture)
  assert.equal(checkForetold(foretold) > 0, production.real === true, 'answers ahead of time are tried where there are real ears')
  assert.ok(notified.sessions > sessions / 2 && notified.reasons.size > 4, `${notified.sessions}: ${[...notified.reasons].join()}`)
  for (const leg of callers) assert.ok(leg.over && !leg.observed && leg.listening.size === 0, leg.log.join())
  const unexpected = fixture.exchange.failures.filter((error) => !/deaf|is gone/.test((error as Error).message))
  if (!brittle) assert.deepEqual(unexpected, [])
}

const productions: Production[] = [
  { seed: 1, sessions: 400 },
  { seed: 2, sessions: 400, duplex: true },
  { seed: 3, sessions: 400, brittle: true },
  { seed: 4, sessions: 400, duplex: true, brittle: true },
  { seed: 5, sessions: 200, real: true },
  { seed: 6, sessions: 200, real: true, brittle: true },
  { seed: 7, sessions: 200, real: true, duplex: true },
]

/** Additional seed. */
const further = Number(process.env.OFFHOOK_TEST_SEED ?? 0)

for (const { seed: usual, ...production } of productions) {
  const { sessions, ...traits } = production
  const seed = usual + further
  const name = `${sessions} sessions in which anything may happen at any time (${['seed', seed, ...Object.keys(traits)].join(' ')})`
  test(name, (t) => play(t, { seed, ...production }))
}
