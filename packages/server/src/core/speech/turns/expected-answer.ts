import type { ExpectedAnswer } from '#core/kernel/ports/speech.ts'
import type { EndpointingPolicy } from './turn-silence.ts'

/**
 * Phrases for the recogniser. Undefined: nothing particular is expected. `yes_no` has none: with a list, groans and laughter were heard as "ja"
 * (docs/decisions/conversation.md).
 */
export const expectedAnswer = ({
  expects,
  expectsOptions = [],
}: Pick<EndpointingPolicy, 'expects' | 'expectsOptions'>): ExpectedAnswer | undefined => {
  if (expects === 'anything') return undefined
  return { phrases: expects === 'options' ? expectsOptions : [] }
}
