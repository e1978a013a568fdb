import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { objectOf, type Tool } from './tool.ts'
import type { KeyCollector } from './key-collector.ts'

type Settings = NonNullable<NonNullable<AssistantSettings['tools']>['collect_digits']>

/** Asks for a number. Who says it instead of pressing keys begins a turn, as always. */
export const collectDigitsTool = ({ most = 20, end_key = '#', seconds = 10 }: Settings, keys: KeyCollector): Tool => ({
  name: 'collect_digits',
  description: 'Asks the caller for digits, such as a customer number, and waits until they are pressed on the keypad or spoken.',
  parameters: objectOf(
    {
      ask: { type: 'string', minLength: 1, maxLength: 300, description: 'What is said, such as: Please enter your customer number.' },
      digits: { type: 'integer', minimum: 1, maximum: most, description: 'How many there are, if that is known' },
    },
    ['ask'],
  ),
  run: async ({ ask, digits }, { signal, say, listens, spoken }) => {
    const wanted = typeof digits === 'number' ? digits : undefined
    say(String(ask), { expects: 'digits', ...(wanted !== undefined && { expects_digits: wanted }) })
    listens()
    const pressed = await keys.collect({ most: wanted ?? most, endKey: end_key, seconds, signal, spoken })
    return { status: 'ok', content: pressed === '' ? 'The caller pressed nothing.' : { digits: pressed } }
  },
})
