import { usualExtendedEvents, type ExtendedEvent } from '@offhook/contract/assistant/events.ts'
import { givenVariables } from '@offhook/contract/assistant/variables.ts'
import type { Flow as FlowElement, FlowWish as Wish } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

export type FlowInput = Static<typeof Wish>
type SettingsElement = Omit<Static<typeof FlowElement>, 'id' | 'name' | 'apiKeySet' | 'version' | 'speech' | 'listener'>

/** Requested settings before validation. */
export const settingsFromElement = (input: Omit<FlowInput, 'name' | 'apiKey'>): FlowSettings =>
  given({
    endpoint: input.endpoint === 'assistant' ? input.endpoint : undefined,
    webhookUrl: input.webhookUrl,
    websocketUrl: input.websocketUrl,
    fallbackUrl: input.fallbackUrl,
    protocol: input.protocol === 'offhook' ? undefined : input.protocol,
    media: input.media?.mode === 'text' ? undefined : input.media,
    phoneNumber: input.phone_number?.replace(/^\+/, ''),
    language: input.language,
    tts: input.tts,
    stt: input.stt && given({ provider: input.stt.provider, languages: input.stt.languages, vocabulary: input.stt.custom_vocabulary }),
    pronunciations: input.pronunciations,
    bargeIn: input.barge_in,
    endOfTurnSilenceMs: input.vad?.end_of_turn_silence_ms,
    turnTaking: input.turn_taking,
    fillers: input.fillers && given({ afterMs: input.fillers.after_ms, texts: input.fillers.texts, off: input.fillers.off }),
    timeouts: input.timeouts && timeoutsFromElement(input.timeouts),
    fallback: input.fallback && given({ text: input.fallback.text, transferTo: input.fallback.transfer_to }),
    retryText: input.retry_text,
    extendedEvents:
      typeof input.extended_events === 'boolean' ? (input.extended_events ? usualExtendedEvents : undefined) : input.extended_events,
    transferTargets: input.transfer_targets,
    recording: input.recording,
    keepTimeline: input.keep_timeline,
    redact: input.redact,
    answeringMachineDetection: input.answering_machine_detection,
    answerAfterSeconds: input.answer_after_seconds,
    variables: input.variables && givenVariables(input.variables).variables,
  })

const timeoutsFromElement = (timeouts: NonNullable<FlowInput['timeouts']>): NonNullable<FlowSettings['timeouts']> =>
  given({
    attemptMs: timeouts.attempt_ms,
    totalMs: timeouts.total_ms,
    userInputSeconds: timeouts.user_input_seconds,
    silenceSeconds: timeouts.silence_seconds,
    maxCallSeconds: timeouts.max_call_seconds,
  })

/** Settings in the API's form: without the key and the secrets. */
export const toSettingsElement = (settings: FlowSettings): SettingsElement =>
  given({
    endpoint: settings.endpoint,
    webhookUrl: settings.webhookUrl,
    websocketUrl: settings.websocketUrl,
    fallbackUrl: settings.fallbackUrl,
    protocol: settings.protocol,
    media: settings.media,
    phone_number: settings.phoneNumber,
    language: settings.language,
    tts: settings.tts,
    stt: settings.stt && toSttElement(settings.stt),
    pronunciations: settings.pronunciations && [...settings.pronunciations],
    barge_in: settings.bargeIn,
    vad: settings.endOfTurnSilenceMs === undefined ? undefined : { end_of_turn_silence_ms: settings.endOfTurnSilenceMs },
    turn_taking: settings.turnTaking,
    fillers: settings.fillers && toFillersElement(settings.fillers),
    timeouts: settings.timeouts && toTimeoutsElement(settings.timeouts),
    fallback: settings.fallback && given({ text: settings.fallback.text, transfer_to: settings.fallback.transferTo }),
    retry_text: settings.retryText,
    extended_events: settings.extendedEvents && (areUsual(settings.extendedEvents) || [...settings.extendedEvents]),
    transfer_targets: settings.transferTargets && [...settings.transferTargets],
    recording: settings.recording,
    keep_timeline: settings.keepTimeline,
    redact: settings.redact && [...settings.redact],
    answering_machine_detection: settings.answeringMachineDetection,
    answer_after_seconds: settings.answerAfterSeconds,
    variables: settings.variables,
    disabledBecause: settings.disabledBecause,
  })

const areUsual = (events: readonly ExtendedEvent[]): boolean =>
  events.length === usualExtendedEvents.length && usualExtendedEvents.every((name) => events.includes(name))

const toFillersElement = ({ afterMs, texts, off }: NonNullable<FlowSettings['fillers']>): NonNullable<SettingsElement['fillers']> =>
  given({ after_ms: afterMs, texts: texts && [...texts], off })

const toSttElement = ({ provider, languages, vocabulary }: NonNullable<FlowSettings['stt']>): NonNullable<SettingsElement['stt']> =>
  given({ provider, languages: languages && [...languages], custom_vocabulary: vocabulary && [...vocabulary] })

const toTimeoutsElement = (timeouts: NonNullable<FlowSettings['timeouts']>): NonNullable<SettingsElement['timeouts']> =>
  given({
    attempt_ms: timeouts.attemptMs,
    total_ms: timeouts.totalMs,
    user_input_seconds: timeouts.userInputSeconds,
    silence_seconds: timeouts.silenceSeconds,
    max_call_seconds: timeouts.maxCallSeconds,
  })

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Drops undefined fields. */
export const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
