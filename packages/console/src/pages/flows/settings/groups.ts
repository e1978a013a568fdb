import type { ApiError } from '#api/client.ts'
import { unset, type FlowForm } from './flow-form.ts'
import type { text } from './text.ts'

type Field = keyof FlowForm
type Words = (typeof text)['en']
/** Names of plain texts. */
type WordName = { [Name in keyof Words]: Words[Name] extends string ? Name : never }[keyof Words]

/** Every collapsible field, with its label. */
const groups = {
  endpoint: {
    endpoint: 'who',
    protocol: 'protocol',
    'media/mode': 'media',
    'media/format': 'media',
    'media/rate': 'media',
    webhookUrl: 'webhookUrl',
    websocketUrl: 'websocketUrl',
    fallbackUrl: 'fallbackUrl',
    apiKey: 'apiKey',
    removeApiKey: 'apiKey',
  },
  speech: {
    'tts/language': 'ttsLanguage',
    'stt/provider': 'sttProvider',
    'stt/languages': 'sttLanguages',
    'stt/custom_vocabulary': 'vocabulary',
    pronunciations: 'pronunciations',
  },
  turns: {
    'barge_in/strategy': 'strategy',
    'barge_in/minimum_characters': 'minimumCharacters',
    'barge_in/allow_after_ms': 'allowAfter',
    'vad/end_of_turn_silence_ms': 'endOfTurn',
    turn_taking: 'turnTaking',
  },
  patience: {
    'timeouts/total_ms': 'total',
    'timeouts/attempt_ms': 'attempt',
    'timeouts/user_input_seconds': 'userInput',
    'timeouts/silence_seconds': 'silence',
    'timeouts/max_call_seconds': 'maxCall',
    'fillers/after_ms': 'fillersAfter',
    'fillers/texts': 'fillers',
    'fillers/off': 'noFillers',
  },
  trouble: { 'fallback/text': 'fallbackText', 'fallback/transfer_to': 'transferTo', retry_text: 'retryText' },
  transfers: { transfer_targets: 'targets' },
  events: { extended_events: 'events' },
  calls: {
    recording: 'recording',
    keep_timeline: 'keepTimeline',
    redact: 'redact',
    answering_machine_detection: 'machines',
    answer_after_seconds: 'answerAfter',
    variables: 'variables',
  },
} as const satisfies Record<string, Partial<Record<Field, WordName>>>

export type GroupName = keyof typeof groups
export const groupNames = Object.keys(groups) as GroupName[]

const basics: Partial<Record<Field, WordName>> = {
  name: 'name',
  language: 'language',
  phone_number: 'phoneNumber',
  'tts/provider': 'ttsProvider',
  'tts/voice': 'ttsVoice',
}

const labels = Object.assign({}, basics, ...Object.values(groups)) as Readonly<Record<Field, WordName>>

/** Labels of the fields that differ between two forms. */
export const differences = (one: FlowForm, other: FlowForm, say: Words): string[] => {
  const fields = (Object.keys(labels) as Field[]).filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]))
  return [...new Set(fields.map((field) => say[labels[field]]))]
}

/** Labels of a group's fields that differ from the default. */
export const changedIn = (group: GroupName, form: FlowForm, say: Words): string[] => {
  const fields = Object.keys(groups[group]) as Field[]
  const others = Object.fromEntries(fields.map((field) => [field, form[field]])) as Partial<FlowForm>
  return differences({ ...unset, ...others }, unset, say)
}

/** Whether the service reported an error in this group. */
export const hasProblem = (group: GroupName, error: ApiError | null): boolean =>
  (error?.body.details ?? []).some(({ field }) => Object.keys(groups[group]).some((own) => field === own || field.startsWith(`${own}/`)))

/** All fields on the page. */
export const placedFields = Object.keys(labels).toSorted()
