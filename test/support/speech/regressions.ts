import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { readScenario } from '@offhook/sdk/scenarios/read-scenario.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'
import { blocksOf } from '../guides/blocks.ts'
import { unreachable, type Input, type Reply } from '../session/scripted-endpoint.ts'

const limits = {
  response_p50_ms: 1_400,
  response_p95_ms: 2_500,
  cut_offs: 0,
  false_stops: 0,
  missed_interruptions: 0,
  word_error_percent: 20,
}

const table: Scenario = {
  name: 'table',
  limits,
  steps: [
    { expect: { said: 'welcome to the bistro', not_said: 'sorry' } },
    { say: 'I would like to book a table for four people.', hesitates: [{ after: 'I would like to', pause_ms: 800 }] },
    { expect: { said: 'for which day', not_said: 'sorry' } },
    { say: 'On Saturday, please.', voice: { pitch: 2 } },
    { expect: { said: 'at what time', not_said: 'sorry' } },
    { say: 'At eight in the evening.' },
    { expect: { said: ['four people', 'saturday', 'at eight'], not_said: 'sorry' } },
    { say: 'Goodbye.' },
    { expect: { said: 'goodbye', action: 'hangup', ended: 'assistant_hangup' } },
  ],
}

const menu: Scenario = {
  name: 'menu',
  limits,
  steps: [
    { say: 'What is on the menu today?' },
    { say: 'Mhm.', into_ms: 2_000, interrupts: false },
    { say: 'Stop. I want to talk to a person.', into_ms: 6_000 },
    { expect: { said: 'connect you', ended: 'assistant_hangup' } },
  ],
}

const noisyLine: Scenario = {
  name: 'noisy line',
  line: { noise: { kind: 'pink', snr_db: 40 }, echo: { level_db: -30 }, loss_percent: 1 },
  limits: { ...limits, word_error_percent: 35 },
  steps: [
    { expect: { said: 'welcome to the bistro' } },
    { say: 'When are you open on Sunday?' },
    { expect: { said: 'from nine to five', within_ms: 2_500 } },
    { say: 'Goodbye.' },
    { expect: { ended: 'assistant_hangup' } },
  ],
}

/** The one of the guide. */
const guide = readScenario(
  blocksOf('docs/guides/testing-an-assistant.md').find(({ text }) => text.startsWith('name: a table, by'))?.text ?? '',
  'testing-an-assistant.md',
)

/** Callers in tones: their detector takes noise above -45 dB for a voice. */
export const scenarios = {
  table,
  menu,
  noisyLine,
  guide: { ...guide, line: { ...guide.line, noise: { kind: 'pink', snr_db: 40 } } } satisfies Scenario,
}

/** Answers the nth sentence of the caller (0: the beginning of the call). */
type Bot = (text: string, turn: number, clock: VirtualClock) => Answer
type Answer = readonly Input[] | Error | Promise<readonly Input[] | Error>

const speak = (text: string, more: object = {}): Input => ({ type: 'speak', text, ...more })
const goodbye: Input[] = [speak('Goodbye, until Saturday.'), { type: 'hangup' }]
const dishes =
  'Today we have a soup of carrots with ginger, a salad with nuts, a pie with leeks and cheese, fish from the lake with potatoes, a risotto with mushrooms, ' +
  'pasta with tomatoes and olives, a burger of beans, and for dessert there are plums from our own garden, a cake with apples, and three kinds of ice cream.'

export const healthy: Bot = (text, turn) => {
  if (turn === 0) return [speak('Welcome to the bistro. What can I do for you?')]
  if (/person|stop/i.test(text)) return [speak('One moment, I connect you.'), { type: 'hangup' }]
  if (/bye/i.test(text)) return goodbye
  if (/menu/i.test(text)) return [speak(dishes)]
  if (/open|sunday/i.test(text)) return [speak('On Sunday we are open from nine to five, and the kitchen closes an hour before that.')]
  if (/table|book/i.test(text)) return [speak('With pleasure. For which day?')]
  if (/saturday/i.test(text)) return [speak('And at what time?')]
  return [speak('So a table for four people on Saturday at eight. Is there anything else?')]
}

/** A customer's endpoint for a bot. */
export const endpointOf =
  (bot: Bot) =>
  (clock: VirtualClock): Reply => {
    let turn = 0
    return ({ body }) => {
      if (body.type === 'session_start') return bot('', 0, clock)
      return body.type === 'user_speak' ? bot(body.text, ++turn, clock) : []
    }
  }

export interface Regression {
  name: string
  scenario: keyof typeof scenarios
  bot: Bot
  settings: FlowSettings
  /** The failure by which the test has to find it. */
  found: RegExp
}

const wrong = (name: string, more: Partial<Regression> & Pick<Regression, 'found'>): Regression => ({
  name,
  scenario: 'table',
  bot: healthy,
  settings: {},
  ...more,
})

const after = (clock: VirtualClock, ms: number, answer: Answer): Promise<readonly Input[] | Error> =>
  new Promise((resolve) => clock.after(ms, () => resolve(answer)))

/** Another answer in one turn. */
const inTurn =
  (wanted: number, answer: (healthyAnswer: Answer, clock: VirtualClock) => Answer): Bot =>
  (text, turn, clock) =>
    turn === wanted ? answer(healthy(text, turn, clock), clock) : healthy(text, turn, clock)

/** Changes everything that is said in some turns. */
const saying =
  (change: (text: string) => object, turns?: readonly number[]): Bot =>
  (text, turn, clock) => {
    const answer = healthy(text, turn, clock)
    if (!Array.isArray(answer) || turns?.includes(turn) === false) return answer
    return answer.map((one: Input) => (one.type === 'speak' ? { ...one, ...change(one.text ?? '') } : one))
  }

const replaced = (from: RegExp, to: string): Bot => saying((text) => ({ text: text.replace(from, to) }))
const withBargeIn = (bargeIn: object): Bot => saying(() => ({ barge_in: bargeIn }))

const slowAt: [turn: number, ms: number][] = [
  [1, 2_500],
  [2, 3_000],
  [3, 4_000],
  [4, 5_000],
  [2, 8_000],
]
const slow = [
  ...slowAt.map(([turn, ms]) =>
    wrong(`answers turn ${turn} after ${ms} ms`, {
      bot: inTurn(turn, (answer, clock) => after(clock, ms, answer)),
      found: /^response_p95_ms is /,
    }),
  ),
  ...[1_200, 1_600, 2_000].map((ms) =>
    wrong(`answers every turn ${ms} ms later`, {
      bot: (text, turn, clock) => after(clock, ms, healthy(text, turn, clock)),
      found: /^response_p50_ms is /,
    }),
  ),
  wrong('answers the question on a noisy line late', {
    scenario: 'noisyLine',
    bot: inTurn(1, (answer, clock) => after(clock, 3_000, answer)),
    found: /^response_p95_ms is |expected an answer within 2500 ms/,
  }),
  ...[2_500, 3_000, 4_000].map((ms) =>
    wrong(`waits for ${ms} ms of silence`, { settings: { endOfTurnSilenceMs: ms, turnTaking: 'classic' }, found: /^response_p50_ms is / }),
  ),
]

const cutting = [100, 150, 200, 250, 300].map((ms) =>
  wrong(`ends turns after ${ms} ms of silence`, { settings: { endOfTurnSilenceMs: ms, turnTaking: 'quick' }, found: /^cut_offs is / }),
)

const notInterrupted = (
  [
    ['none', { strategy: 'none' }],
    ['60 characters', { strategy: 'minimum_characters', minimum_characters: 60 }],
    ['100 characters', { strategy: 'minimum_characters', minimum_characters: 100 }],
    ['words, after 30 s', { strategy: 'words', allow_after_ms: 30_000 }],
    ['characters, after 60 s', { strategy: 'minimum_characters', minimum_characters: 3, allow_after_ms: 60_000 }],
  ] as const
).map(([name, bargeIn]) =>
  wrong(`cannot be interrupted: ${name}`, { scenario: 'menu', bot: withBargeIn(bargeIn), found: /^missed_interruptions is / }),
)

const stopping = (
  [
    ['immediate', { strategy: 'immediate' }],
    ['1 character', { strategy: 'minimum_characters', minimum_characters: 1 }],
    ['2 characters', { strategy: 'minimum_characters', minimum_characters: 2 }],
    ['immediate, after 1 s', { strategy: 'immediate', allow_after_ms: 1_000 }],
  ] as const
).map(([name, bargeIn]) =>
  wrong(`is stopped by a back-channel: ${name}`, { scenario: 'menu', bot: withBargeIn(bargeIn), found: /^false_stops is / }),
)

const others = [
  wrong('stops itself in turn 3', {
    bot: inTurn(3, (answer) => [...(answer as Input[]), { type: 'barge_in' }]),
    found: /expected to hear “four people”/,
  }),
  wrong('transfers to nobody', {
    scenario: 'menu',
    bot: inTurn(2, () => [speak('One moment, I connect you.'), { type: 'transfer', target: 'p99' }]),
    found: /expected the call to be over/,
  }),
  wrong('asks for an appointment', {
    scenario: 'noisyLine',
    bot: replaced(/from nine to five/, 'by appointment'),
    found: /expected to hear “from nine to five”/,
  }),
]

const words = [
  wrong('does not greet', { bot: inTurn(0, () => []), found: /expected to hear “welcome to the bistro”/ }),
  wrong('greets with another name', { bot: replaced(/bistro/, 'tavern'), found: /expected to hear “welcome to the bistro”/ }),
  wrong('repeats another day', { bot: replaced(/on Saturday at/, 'on Sunday at'), found: /expected to hear “saturday”/ }),
  wrong('repeats another number', { bot: replaced(/four people/, 'five people'), found: /expected to hear “four people”/ }),
  wrong('repeats another time', { bot: replaced(/at eight/, 'at nine'), found: /expected to hear “at eight”/ }),
  wrong('leaves out the day', { bot: replaced(/on Saturday at/, 'at'), found: /expected to hear “saturday”/ }),
  wrong('asks for the name and not for the day', {
    bot: replaced(/For which day/, 'What is your name'),
    found: /expected to hear “for which day”/,
  }),
  wrong('forgets what it was asked', { bot: replaced(/And at what time/, 'For which day'), found: /expected to hear “at what time”/ }),
  wrong('says sorry', { bot: replaced(/With pleasure/, 'Sorry'), found: /expected not to hear “sorry”/ }),
  wrong('tells wrong hours', {
    scenario: 'noisyLine',
    bot: replaced(/nine to five/, 'ten to six'),
    found: /expected to hear “from nine to five”/,
  }),
  wrong('does not say goodbye', { bot: inTurn(4, () => [{ type: 'hangup' }]), found: /expected to hear “goodbye”/ }),
  wrong('does not connect', {
    scenario: 'menu',
    bot: replaced(/I connect you/, 'nobody is here'),
    found: /expected to hear “connect you”/,
  }),
]

const silent = [1, 2, 3].map((turn) =>
  wrong(`does not answer turn ${turn}`, { bot: inTurn(turn, () => []), found: /expected to hear “.*nothing was said/ }),
)
const failing = [1, 3].map((turn) => wrong(`fails in turn ${turn}`, { bot: inTurn(turn, unreachable), found: /expected to hear “/ }))
const ending = [
  ...[1, 2].map((turn) =>
    wrong(`hangs up in turn ${turn}`, {
      bot: inTurn(turn, (answer) => [...(answer as Input[]), { type: 'hangup' }]),
      found: /the call was over/,
    }),
  ),
  wrong('does not hang up', { bot: inTurn(4, () => [speak('Goodbye.')]), found: /expected the action hangup/ }),
  wrong('does not hang up on a noisy line', {
    scenario: 'noisyLine',
    bot: inTurn(2, () => [speak('Goodbye.')]),
    found: /expected the call to be over/,
  }),
]

export const regressions: readonly Regression[] = [
  ...slow,
  ...cutting,
  ...notInterrupted,
  ...stopping,
  ...others,
  ...words,
  ...silent,
  ...failing,
  ...ending,
]
