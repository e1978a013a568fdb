import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { bistro, type Answer, type StoredCall } from './recorded-calls.ts'
import type { Input } from './scripted-endpoint.ts'

export interface SeededChange {
  name: string
  answer: Answer
}

type Actions = (actions: Input[]) => Input[]

const at = (name: string, concerns: (event: AssistantEvent) => boolean, change: Actions): SeededChange => ({
  name,
  answer: (event) => (concerns(event) ? change(bistro(event)) : bistro(event)),
})
const to = (words: RegExp) => (event: AssistantEvent) => event.type === 'user_speak' && words.test(event.text)
const of = (type: AssistantEvent['type']) => (event: AssistantEvent) => event.type === type

const without =
  (type: Input['type']): Actions =>
  (actions) =>
    actions.filter((action) => action.type !== type)
const says =
  (text: string): Actions =>
  (actions) => [{ type: 'speak', text }, ...without('speak')(actions)]
const silent: Actions = () => []
const and =
  (action: Input): Actions =>
  (actions) => [...actions, action]
const sentences =
  (change: (text: string) => string): Actions =>
  (actions) =>
    actions.map((action) => (action.type === 'speak' ? { ...action, text: change(action.text ?? '') } : action))
const bye = { type: 'hangup' } as const

/** Possible changes of the bistro, intended or not. */
export const seededChanges: SeededChange[] = [
  at('another greeting', of('session_start'), says('Good evening.')),
  at('no greeting', of('session_start'), silent),
  at(
    'a word more in the greeting',
    of('session_start'),
    sentences((text) => text.replace('the bistro', 'the new bistro')),
  ),
  at(
    'another number',
    to(/table for 4/),
    sentences((text) => text.replace('4', '5')),
  ),
  at(
    'a word less',
    to(/table for 3/),
    sentences((text) => text.replace(' a table', '')),
  ),
  at('the other order of sentences', to(/table for [5-8]/), ([tool, ...speeches]) => [tool as Input, ...speeches.toReversed()]),
  at('the last sentence is missing', to(/table for 2/), (actions) => actions.slice(0, -1)),
  at('the tool is not used', to(/table/), without('note')),
  at('another tool', to(/table for 6/), (actions) => [
    { type: 'note', name: 'tool', data: { name: 'guess' } },
    ...without('note')(actions),
  ]),
  at('another menu', to(/menu/), says('Only soup.')),
  at('silence about the menu', to(/once more/), silent),
  at('words where there were none', to(/^Hm$/), says('Pardon?')),
  at('a hang-up too many', to(/^Hm$/), and(bye)),
  at('another key', to(/door/), (actions) => [...without('send_dtmf')(actions), { type: 'send_dtmf', digits: '8' }]),
  at('no key', to(/door/), without('send_dtmf')),
  at('keys are not answered', of('dtmf_received'), silent),
  at('a time-out ends the call', of('user_input_timeout'), and(bye)),
  at('the hang-up is missing', to(/bye/), without('hangup')),
  at('another target', to(/human/), (actions) => [...without('transfer')(actions), { type: 'transfer', target: '+4921163551111' }]),
  at('a hang-up instead of the transfer', to(/human/), (actions) => [...without('transfer')(actions), bye]),
]

/** Turn of the first event that gets a different answer; undefined: none. */
export const turnOfChange = ({ entries }: StoredCall, { answer }: SeededChange): number | undefined => {
  for (const entry of entries) {
    if (entry.kind !== 'event' || entry.type === 'session_end') continue
    const event = entry.body as AssistantEvent
    if (JSON.stringify(answer(event)) !== JSON.stringify(bistro(event))) return entry.turn
  }
  return undefined
}
