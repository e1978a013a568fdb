import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'

/** A template's name and what stands in its fields, or words of the model's own. */
export type SmsInput = { template: string; fields: Record<string, string> } | { text: string }

type Rules = NonNullable<NonNullable<AssistantSettings['tools']>['send_sms']>

const maxTextLength = 600
const maxFieldLength = 200

/** What goes out, or a sentence that says why nothing does. */
export const smsText = ({ templates = [], free_text: free = false }: Rules, input: SmsInput): { text: string } | { refused: string } => {
  if ('text' in input) return free ? checked(input.text) : { refused: 'Only the templates may be sent.' }
  const template = templates.find(({ name }) => name === input.template)
  if (!template) return { refused: `There is no template of this name. There are: ${templates.map(({ name }) => name).join(', ')}.` }
  const missing = fieldsOf(template.text).filter((name) => !Object.hasOwn(input.fields, name))
  if (missing.length > 0) return { refused: `The template needs ${missing.join(', ')}.` }
  return checked(template.text.replace(field, (_, name: string) => oneLine(String(input.fields[name])).slice(0, maxFieldLength)))
}

const field = /\{(\w{1,40})\}/g

const fieldsOf = (text: string): string[] => [...new Set([...text.matchAll(field)].map(([, name = '']) => name))]

/** A field is a word or two: no line of its own, which could pass for another message. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

const checked = (text: string): { text: string } | { refused: string } => {
  const plain = text.replace(/[^\P{Cc}\n]/gu, ' ').trim()
  if (plain === '') return { refused: 'The message is empty.' }
  return plain.length > maxTextLength ? { refused: `The message is longer than ${maxTextLength} characters.` } : { text: plain }
}
