import type { InputOf } from '#api/use-service.ts'
import { variableLines, variablesOf } from '#parts/form/variables.ts'
import type { Flow } from '../parts/flow-state.tsx'
import { isOtherOrigin } from '../parts/origin.ts'

type Input = InputOf<'changeFlow'>[1]

/** A number field that may be empty. */
type Count = number | ''

/** All settings by the service's names, so that its errors appear at the fields. */
export interface FlowForm {
  name: string
  endpoint: string
  webhookUrl: string
  websocketUrl: string
  fallbackUrl: string
  protocol: string
  'media/mode': string
  'media/format': string
  'media/rate': Count
  phone_number: string
  language: string
  'tts/provider': string
  'tts/language': string
  'tts/voice': string
  'stt/provider': string
  'stt/languages': string[]
  'stt/custom_vocabulary': string[]
  /** Like `Siegl = Siegel` or `Siegl (de) = /ˈziːɡl̩/`. */
  pronunciations: string[]
  'barge_in/strategy': string
  'barge_in/minimum_characters': Count
  'barge_in/allow_after_ms': Count
  'vad/end_of_turn_silence_ms': Count
  turn_taking: string
  'fillers/after_ms': Count
  'fillers/texts': string[]
  'fillers/off': boolean
  'timeouts/attempt_ms': Count
  'timeouts/total_ms': Count
  'timeouts/user_input_seconds': Count
  'timeouts/silence_seconds': Count
  'timeouts/max_call_seconds': Count
  'fallback/text': string
  'fallback/transfer_to': string
  retry_text: string
  extended_events: string[]
  transfer_targets: string[]
  recording: boolean
  keep_timeline: boolean
  redact: string[]
  answering_machine_detection: string
  answer_after_seconds: Count
  /** Like `first_name = Ada`. */
  variables: string[]
  /** Empty: unchanged. */
  apiKey: string
  removeApiKey: boolean
}

/** All fields empty. */
export const unset: FlowForm = {
  name: '',
  endpoint: '',
  webhookUrl: '',
  websocketUrl: '',
  fallbackUrl: '',
  protocol: '',
  'media/mode': '',
  'media/format': '',
  'media/rate': '',
  phone_number: '',
  language: '',
  'tts/provider': '',
  'tts/language': '',
  'tts/voice': '',
  'stt/provider': '',
  'stt/languages': [],
  'stt/custom_vocabulary': [],
  pronunciations: [],
  'barge_in/strategy': '',
  'barge_in/minimum_characters': '',
  'barge_in/allow_after_ms': '',
  'vad/end_of_turn_silence_ms': '',
  turn_taking: '',
  'fillers/after_ms': '',
  'fillers/texts': [],
  'fillers/off': false,
  'timeouts/attempt_ms': '',
  'timeouts/total_ms': '',
  'timeouts/user_input_seconds': '',
  'timeouts/silence_seconds': '',
  'timeouts/max_call_seconds': '',
  'fallback/text': '',
  'fallback/transfer_to': '',
  retry_text: '',
  extended_events: [],
  transfer_targets: [],
  recording: false,
  keep_timeline: true,
  redact: [],
  answering_machine_detection: '',
  answer_after_seconds: '',
  variables: [],
  apiKey: '',
  removeApiKey: false,
}

/** In display order. */
export const protocols = [
  'offhook',
  'twilio',
  'conversation_relay',
  'media_streams',
  'vapi',
  'retell',
  'jambonz',
  'openai_realtime',
] as const
export const mediaModes = ['text', 'audio', 'both'] as const
export const mediaFormats = ['pcm16', 'pcmu', 'pcma'] as const
export const mediaRates = [8000, 16_000, 24_000] as const

export const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  (names as readonly string[]).includes(name)

/** In display order. */
export const extendedEvents = [
  'assistant_speech_ended',
  'user_input_timeout',
  'dtmf_received',
  'user_speech_started',
  'action_discarded',
  'transfer_failed',
  'machine_detected',
  'session_resumed',
  'user_speech_unclear',
  'user_backchannel',
  'user_speak_partial',
  'user_speak_preview',
  'user_speak_revoked',
] as const
/** The events of `true`; the others cost time and requests. */
const defaultEvents: readonly string[] = extendedEvents.slice(0, 10)

/** The default events in addition to those named before. */
export const withUsualEvents = (named: readonly string[]): string[] => [...new Set([...named, ...defaultEvents])]

/** The assistant written here and third-party servers get fixed events. */
export const mayChooseEvents = ({ endpoint, protocol = '' }: { endpoint?: string; protocol?: string }): boolean =>
  endpoint !== 'assistant' && ['', 'offhook'].includes(protocol)

/** An endpoint is connected, and no extended events were chosen yet. */
export const mayBeOfferedEvents = (flow: Flow): boolean => {
  const isConnected = mayChooseEvents(flow) && [flow.webhookUrl, flow.websocketUrl, flow.listener].some((one) => one !== undefined)
  return isConnected && !formOf(flow).extended_events.some((name) => defaultEvents.includes(name))
}

export const formOf = (flow: Flow): FlowForm => {
  const read = ([path, empty]: [string, unknown]): [string, unknown] => [path, at(flow, path) ?? empty]
  const form = Object.fromEntries(Object.entries(unset).map(read)) as unknown as FlowForm
  const { voice } = flow.tts ?? {}
  return {
    ...form,
    pronunciations: (flow.pronunciations ?? []).map(written),
    variables: variableLines(flow.variables),
    'tts/voice': typeof voice === 'object' ? (voice.id ?? voice.name ?? '') : (voice ?? ''),
    extended_events: flow.extended_events === true ? [...defaultEvents] : Array.isArray(flow.extended_events) ? flow.extended_events : [],
  }
}

/** Omits empty fields, because a change unsets missing ones. */
export const inputOf = ({ apiKey, removeApiKey, ...values }: FlowForm): Input => {
  const form = { ...values, ...withoutUnknown(values) }
  const input: Record<string, unknown> = { name: form.name }
  for (const [path, value] of Object.entries(form))
    if (isSet(path, value)) put(input, path, typeof value === 'string' ? value.trim() : value)
  if (form.pronunciations.length > 0) input.pronunciations = form.pronunciations.map(pronunciation)
  if (form.variables.length > 0) input.variables = variablesOf(form.variables)
  if (removeApiKey) input.apiKey = null
  else if (apiKey !== '') input.apiKey = apiKey
  return input as Input
}

type Pronunciation = NonNullable<Flow['pronunciations']>[number]

const written = ({ word, say, language }: Pronunciation): string => `${word}${language === undefined ? '' : ` (${language})`} = ${say}`

/** A line without a pronunciation is sent as it is, so that the service says what is missing. */
const pronunciation = (line: string): Pronunciation => {
  const [, word = line, language, say = ''] = /^(.*?)(?:\s\(([A-Za-z-]{2,20})\))?\s*=([^=]*)$/.exec(line) ?? []
  return { word: word.trim(), say: say.trim(), ...(language !== undefined && { language }) }
}

const addresses = ['webhookUrl', 'websocketUrl', 'fallbackUrl'] as const

/** Address fields of a protocol: third-party ones have only one. */
export const addressesOf = (protocol: string): readonly (typeof addresses)[number][] =>
  ['', 'offhook'].includes(protocol) ? addresses : ['twilio', 'vapi'].includes(protocol) ? ['webhookUrl'] : ['websocketUrl']

/** Whether an address points to a host that the stored key was not entered for. */
export const leadsElsewhere = (form: FlowForm, flow: Flow): boolean => {
  const before = addresses.flatMap((name) => flow[name] ?? [])
  const now = addressesOf(form.protocol).map((name) => form[name])
  return now.some((address) => address.trim() !== '' && isOtherOrigin(address, before))
}

/** Third-party audio protocols. */
export const soundProtocols = ['media_streams', 'openai_realtime'] as const

/** Fields of another protocol stay in the form and would be rejected. */
const withoutUnknown = ({
  endpoint,
  protocol,
  'media/mode': mode,
}: Pick<FlowForm, 'endpoint' | 'protocol' | 'media/mode'>): Partial<FlowForm> => {
  const isOwn = ['', 'offhook'].includes(protocol)
  const hasSound = isOwn ? !['', 'text'].includes(mode) : isOneOf(soundProtocols, protocol) && mode === 'both'
  const known = endpoint === 'assistant' ? addresses : addressesOf(protocol)
  return {
    ...(!hasSound && { 'media/mode': '' }),
    ...(!(hasSound && isOwn) && { 'media/format': '', 'media/rate': '' }),
    ...Object.fromEntries(addresses.filter((name) => !known.includes(name)).map((name) => [name, ''])),
  }
}

const isSet = (path: string, value: unknown): boolean => {
  if (typeof value === 'boolean') return value !== unset[path as keyof FlowForm]
  if (typeof value === 'string') return value.trim() !== ''
  return !Array.isArray(value) || value.length > 0
}

const at = (from: object, path: string): unknown => {
  let value: unknown = from
  for (const name of path.split('/')) value = (value as Record<string, unknown> | undefined)?.[name]
  return value
}

const put = (into: Record<string, unknown>, path: string, value: unknown): void => {
  const [first = '', second] = path.split('/')
  if (second === undefined) into[first] = value
  else into[first] = { ...(into[first] as object | undefined), [second]: value }
}
