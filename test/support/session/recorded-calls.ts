import { recordedCall, type RecordedCall } from '@offhook/contract/recording/recorded-call.ts'
import { callersSteps } from '@offhook/contract/recording/call-scenario.ts'
import { firstDifference, type CallDifference } from '@offhook/contract/recording/call-difference.ts'
import { extendedEvents, type AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { runScenario, type Endpoint } from '@offhook/sdk'
import { readPage } from '#core/telephone/timeline/read-timeline.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { dice } from '../chance/dice.ts'
import type { Customer } from '../routing/scripted-exchange.ts'
import type { Input } from './scripted-endpoint.ts'
import { SessionFixture } from './session-fixture.ts'

/** Depends on the event alone: the same call gets the same answers. */
export type Answer = (event: AssistantEvent) => Input[]

export const colleague = '+4921163559999'
const userInputSeconds = 6
const settings = { extendedEvents, transferTargets: [colleague], timeouts: { userInputSeconds } }

const speak = (text: string): Input => ({ type: 'speak', text })

export const bistro: Answer = (event) => {
  if (event.type === 'session_start') return [speak('Welcome to the bistro. How can I help you?')]
  if (event.type === 'dtmf_received') return [speak(`You pressed ${event.digit}.`)]
  if (event.type === 'user_input_timeout') return [speak('Are you still there?')]
  return event.type === 'user_speak' ? answerTo(event.text) : []
}

const answerTo = (text: string): Input[] => {
  const [, people] = /table for (\d+)/.exec(text) ?? []
  if (people !== undefined) {
    const data = { name: 'tables', arguments: `{"people":${people}}`, status: 'ok', response: '{"free":true}' }
    return [{ type: 'note', name: 'tool', data }, speak(`There is a table for ${people}.`), speak('At eight?')]
  }
  if (/menu/.test(text)) return [speak('Soup, fish, cake, and so many other things that it takes quite a while to tell them all.')]
  if (/door/.test(text)) return [speak('I open it.'), { type: 'send_dtmf', digits: '9' }]
  if (/human/.test(text)) return [speak('I connect you.'), { type: 'transfer', target: colleague }]
  return /bye/.test(text) ? [speak('Goodbye.'), { type: 'hangup' }] : []
}

type Roll = (sides: number) => number
type Move = { say: string; interrupts?: boolean } | { press: string } | 'waits' | 'hangs up'

const movesOf = (roll: Roll): Move[] => {
  const all: (() => Move)[] = [
    () => ({ say: `A table for ${2 + roll(7)}` }),
    () => ({ say: 'What is on the menu?' }),
    () => ({ say: `Stop, a table for ${2 + roll(7)}`, interrupts: true }),
    () => ({ say: 'Well, the menu once more', interrupts: true }),
    () => ({ say: 'Hm' }),
    () => ({ say: 'Open the door' }),
    () => ({ press: String(roll(10)) }),
    () => 'waits',
  ]
  const moves = Array.from({ length: 2 + roll(4) }, () => (all[roll(all.length)] as () => Move)())
  const end: Move = (['hangs up', { say: 'Bye, bye' }, { say: 'A human, please' }] as const)[roll(3)] ?? 'hangs up'
  return [...moves, end]
}

interface Plan {
  moves: readonly Move[]
  /** The colleague accepts the transferred caller. */
  isTaken: boolean
}

const spokenSeconds = 8

/** Holds a call with a customer's assistant, as in the service, in virtual time. */
const holdCall = async (fixture: SessionFixture, customer: Customer, { moves, isTaken }: Plan): Promise<string> => {
  const caller = await fixture.exchange.callIn(customer.number)
  const { conversation } = fixture
  const callId = fixture.channel.sent[0]?.sessionId ?? ''
  for (const [place, move] of moves.entries()) {
    const isInterrupted = typeof move === 'object' && 'interrupts' in move
    await fixture.seconds(isInterrupted ? 1 : spokenSeconds - (place > 0 ? 3 : 0))
    if (move === 'hangs up') caller.hangsUp()
    else if (move === 'waits') await fixture.seconds(userInputSeconds)
    else if ('press' in move) caller.presses(move.press)
    else conversation.callerSays(move.say)
    await fixture.rest()
  }
  await fixture.seconds(2)
  for (const leg of fixture.exchange.ringing) {
    if (isTaken) leg.answers()
    else leg.refuses('busy', 486)
  }
  await fixture.seconds(2)
  caller.hangsUp()
  await fixture.seconds(2)
  return callId
}

export interface StoredCall {
  callId: string
  entries: TimelineEntry[]
  recorded: RecordedCall
}

/** Calls held with the bistro, with their stored timelines. */
export const recordCalls = async (store: Store, count: number, seed = 1): Promise<StoredCall[]> => {
  const roll = dice(seed)
  const fixture = new SessionFixture(store, { keepsTimelines: true })
  fixture.endpoints.reply = ({ body }) => bistro(body)
  try {
    const customer = await fixture.newCustomer(settings)
    await fixture.exchange.addTrunk()
    const callIds: string[] = []
    for (let held = 0; held < count; held++) callIds.push(await holdCall(fixture, customer, { moves: movesOf(roll), isTaken: roll(3) > 0 }))
    await fixture.exchange.timelines.flush()
    return await Promise.all(callIds.map((callId) => readCall(store, customer, callId)))
  } finally {
    await fixture.close()
  }
}

const readCall = async (store: Store, { accountId, userId }: Customer, callId: string): Promise<StoredCall> => {
  const caller = { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' } as const
  const { items: entries } = await readPage(store, { caller, locale: 'de_DE' }, callId, { after: 0, limit: 10_000 })
  const recorded = recordedCall(entries)
  if (!recorded) throw new Error(`nothing was written down of ${callId}`)
  return { callId, entries, recorded }
}

const endpointOf = (answer: Answer): Endpoint => ({
  connect: (send) => ({
    receive: (frame) => {
      const event = JSON.parse(frame) as AssistantEvent & { turn: number }
      send(JSON.stringify(answer(event).map((action) => ({ ...action, turn: event.turn }))))
    },
    idle: () => Promise.resolve(),
    close: () => {},
  }),
})

/** Replays a call with an endpoint, and returns the first difference. */
export const replayCall = async ({ callId, recorded }: StoredCall, answer: Answer): Promise<CallDifference | undefined> => {
  const report = await runScenario({ name: callId, steps: callersSteps(recorded) }, endpointOf(answer), { userInputSeconds })
  if (report.state === 'error') throw new Error(report.failures[0]?.message)
  return firstDifference(recorded, report)
}
