import type { VariableValue, Variables } from '@offhook/contract/assistant/variables.ts'
import { fillArgument, fillPlaceholders, mapTexts, type TextPlace } from '@offhook/contract/v3/placeholders.ts'
import type { AgentSettings } from './host.ts'
import { Untrusted, withoutMarks } from './untrusted.ts'

/** Maximum characters of a value where the model reads it, and where it is said. */
const maxPromptLength = 500
const maxSpokenLength = 200

/** Line breaks and invisible characters could make a value look like a new instruction. */
const oneLine = (value: VariableValue, maxLength: number): string => {
  const line = String(value)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line
}

/** Angle brackets could become SSML, or marks around what the model reads. */
const withoutBrackets = (value: VariableValue): string => withoutMarks(String(value)).replace(/[<>]/g, ' ')

const spoken = (value: VariableValue): string => oneLine(withoutBrackets(value), maxSpokenLength)

/** HTTP headers are printable ASCII; a line break would begin another header. */
const header = (value: VariableValue): string =>
  oneLine(value, maxPromptLength).replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()))

/** The settings with the variables of a call, each made safe for its place. Values are information for the model, never instructions. */
export const withVariables = <T extends Pick<AgentSettings, 'assistant'>>(
  settings: T,
  variables: Variables = {},
  untrusted: Untrusted = new Untrusted(),
): T => {
  const prompt = (value: VariableValue): string => {
    const line = oneLine(withoutBrackets(value), maxPromptLength)
    return line && untrusted.data(line)
  }
  const fill = (text: string, place: TextPlace): VariableValue => {
    switch (place) {
      case 'prompt':
        return fillPlaceholders(text, variables, prompt)
      case 'spoken':
        return fillPlaceholders(text, variables, spoken)
      case 'header':
        return fillPlaceholders(text, variables, header)
      case 'argument':
        return fillArgument(text, variables)
      case 'sms':
      default:
        return text // the service fills it when the SMS is sent
    }
  }
  return { ...settings, assistant: mapTexts(settings.assistant, fill) }
}
