import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extendedEvents } from '@offhook/contract/assistant/events.ts'
import { sessionEndReasons } from '@offhook/contract/assistant/session.ts'
import type { OutgoingEvent } from '../../packages/server/src/core/ports/endpoint.ts'
import type { FlowSettings } from '../../packages/server/src/core/ports/store/flows.ts'
import { openTestStore } from '../support/databases.ts'
import { dice } from '../support/dice.ts'
import { unreachable, type ScriptedConversation, type Wish } from '../support/scripted-endpoint.ts'
import { stranger, type Customer } from '../support/scripted-exchange.ts'
import { Studio } from '../support/scripted-session.ts'
import type { ScriptedTalk } from '../support/scripted-talk.ts'
import type { ScriptedLeg } from '../support/scripted-telephony.ts'

type Roll = (sides: number) => number

const colleague = '+4921163559999'
const sessionsOfSeed = 250

const flows: FlowSettings[] = [
  {},
  { extendedEvents, transferTargets: [colleague] },
  { extendedEvents, answerAfterSeconds: 5, timeouts: { maxCallSeconds: 60, silenceSeconds: 20, userInputSeconds: 4 } },
  { fallback: { transferTo: colleague }, transferTargets: [stranger], timeouts: { silenceSeconds: 30 } },
  { fallback: { text: 'Later' }, retryText: 'Again?', extendedEvents: ['action_discarded'] },
]

/** Whatever an endpoint may want; what it says names the turn that it answers. */
const wish = (roll: Roll, turn: number): Wish => {
  const words = `t${turn} ${'word '.repeat(roll(12))}`
  const wishes: (() => Wish)[] = [
    () => ({ type: 'speak', text: words }),
    () => ({ type: 'speak', text: words, user_input_timeout_seconds: roll(6) }),
    () => ({ type: 'audio', audio: '' }),
    () => ({ type: 'barge_in' }),
    () => ({ type: 'mix_audio', stop: roll(2) === 0 }),
    () => ({ type: 'configure_transcription', languages: ['en-US'] }),
    () => ({ type: 'transfer', target: roll(2) === 0 ? colleague : stranger }),
    () => ({ type: 'hangup' }),
  ]
  return (wishes[roll(10)] ?? wishes[0])?.() ?? assert.fail()
}

/** Answers at once, late, never in time, or not at all. */
const moody =
  (studio: Studio, roll: Roll) =>
  ({ turn, body }: OutgoingEvent): Wish[] | Error | Promise<Wish[] | Error> => {
    const mood = roll(20)
    if (mood === 0 || (mood < 6 && body.type === 'session_start' && roll(6) === 0)) return unreachable()
    // Over a WebSocket only the endpoint itself can say which turn it means.
    const wishes = Array.from({ length: roll(3) }, () => ({ ...wish(roll, turn), ...(studio.endpoints.duplex && { turn }) }))
    if (mood < 12) return wishes
    return new Promise((resolve) => studio.exchange.clock.after(roll(8_000), () => resolve(mood === 19 ? unreachable() : wishes)))
  }

/** What a caller, an endpoint, other people and our own parts may do at any moment. */
const something = (studio: Studio, roll: Roll, callers: ScriptedLeg[], customers: readonly Customer[]): (() => unknown)[] => {
  const one = <T>(list: readonly T[]): T | undefined => list[roll(list.length)]
  const talk = (): ScriptedTalk | undefined => one(studio.talks.filter(({ closed }) => !closed))
  const conversation = (): ScriptedConversation | undefined => one(studio.endpoints.conversations.filter(({ closed }) => !closed))
  const caller = (): ScriptedLeg | undefined => one(callers.filter(({ over }) => !over))
  const { exchange } = studio
  const calls = (): unknown => callers.push(exchange.telephony.arrives({ kind: 'trunk', trunkId: 't' }, one(customers)?.number ?? ''))
  return [
    calls,
    calls,
    () => talk()?.callerBegins(),
    () => talk()?.callerSays('words', { breaksIn: roll(4) > 0 }),
    () => talk()?.callerSays('words', { breaksIn: roll(4) > 0 }),
    () => talk()?.callerSays('words', { breaksIn: roll(4) > 0 }),
    () => talk()?.coughs(),
    () => caller()?.presses('5'),
    () => (roll(3) === 0 ? caller()?.hangsUp() : undefined),
    () => (roll(6) === 0 ? caller()?.dies('media_timeout') : undefined),
    () => one(exchange.ringing)?.answers(),
    () => one(exchange.ringing)?.refuses('busy', 486),
    () => (roll(20) === 0 ? talk()?.loses(new Error('deaf')) : undefined),
    () => (roll(20) === 0 ? conversation()?.observer.lost() : undefined),
    () => studio.endpoints.duplex && conversation()?.acts(wish(roll, Infinity)),
  ]
}

/** An answer to a turn that is not the newest any more must never be heard. */
const watchForStaleWords = (studio: Studio): void => {
  const { openTalk } = studio.parts
  studio.parts.openTalk = (on, observer) => {
    const talk = openTalk(on, observer)
    const conversation = (): ScriptedConversation | undefined => studio.endpoints.conversations[studio.talks.indexOf(talk as ScriptedTalk)]
    const say = talk.say.bind(talk)
    talk.say = (action, eventId) => {
      const turn = Number(/^t(\d+)/.exec(action.text ?? '')?.[1] ?? Infinity)
      assert.ok(turn >= (conversation()?.sent.at(-1)?.turn ?? 0), `an answer to turn ${turn} is spoken too late`)
      say(action, eventId)
    }
    return talk
  }
}

const endAll = async (studio: Studio, callers: readonly ScriptedLeg[], roll: Roll): Promise<void> => {
  for (const leg of callers) if (roll(2) === 0) leg.hangsUp()
  await studio.seconds(20)
  studio.hurry()
  const closing = studio.exchange.switchboard.hangUpAll()
  await studio.seconds(8) // until the last endpoint has answered, in vain
  await closing
}

/** Each session: its events without a gap and in order, then its one end with a true reason. */
const checkTold = async (studio: Studio): Promise<{ sessions: number; reasons: Set<string> }> => {
  const ends = Map.groupBy(await studio.ends(), ({ sessionId }) => sessionId)
  const reasons = new Set<string>()
  let sessions = 0
  for (const { sent } of studio.endpoints.conversations) {
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

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  const brittle = seed % 4 === 0
  test(`sessions in which anything may happen at any time${brittle ? ', and fail' : ''} (seed ${seed})`, async (t) => {
    const roll = dice(seed)
    const studio = new Studio(await openTestStore(t, 'sqlite'))
    await studio.exchange.addTrunk()
    studio.endpoints.reply = moody(studio, roll)
    studio.endpoints.duplex = seed % 2 === 0
    watchForStaleWords(studio)
    const customers = await Promise.all(flows.map((settings) => studio.newCustomer(settings)))
    const callers: ScriptedLeg[] = []
    const misfortune = dice(seed + 1_000)
    if (brittle) studio.exchange.outside.misfortune = () => misfortune(200) === 0
    const actions = something(studio, roll, callers, customers)
    while (callers.length < sessionsOfSeed) {
      for (let at = roll(60); at >= 0; at--) actions[roll(actions.length)]?.()
      await studio.exchange.clock.advance(roll(1_500))
    }
    await endAll(studio, callers, roll)
    studio.exchange.outside.misfortune = () => false
    await studio.close()
    const { sessions, reasons } = await checkTold(studio)
    assert.ok(sessions > sessionsOfSeed / 2 && reasons.size > 4, [...reasons].join())
    for (const leg of callers) assert.ok(leg.over && !leg.observed, leg.log.join())
    if (!brittle) assert.deepEqual(studio.exchange.failures.filter((error) => (error as Error).message !== 'deaf'), [])
  })
}
