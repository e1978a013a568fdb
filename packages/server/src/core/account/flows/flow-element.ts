import { usualExtendedEvents, type ExtendedEvent } from '@offhook/contract/assistant/events.ts'
import type { Flow as FlowElement, FlowWish as Wish } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'

export type FlowWish = Static<typeof Wish>
type SettingsElement = Omit<Static<typeof FlowElement>, 'id' | 'name' | 'apiKeySet' | 'version' | 'speech' | 'listener'>

/** The settings that a request asks for, not checked yet. */
export const settingsFromElement = (wish: Omit<FlowWish, 'name' | 'apiKey'>): FlowSettings =>
  given({
    endpoint: wish.endpoint === 'assistant' ? wish.endpoint : undefined,
    webhookUrl: wish.webhookUrl,
    websocketUrl: wish.websocketUrl,
    fallbackUrl: wish.fallbackUrl,
    protocol: wish.protocol === 'offhook' ? undefined : wish.protocol,
    media: wish.media?.mode === 'text' ? undefined : wish.media,
    phoneNumber: wish.phone_number,
    language: wish.language,
    tts: wish.tts,
    stt: wish.stt && given({ provider: wish.stt.provider, languages: wish.stt.languages, vocabulary: wish.stt.custom_vocabulary }),
    bargeIn: wish.barge_in,
    endOfTurnSilenceMs: wish.vad?.end_of_turn_silence_ms,
    turnTaking: wish.turn_taking,
    fillers: wish.fillers && given({ afterMs: wish.fillers.after_ms, texts: wish.fillers.texts, off: wish.fillers.off }),
    timeouts: wish.timeouts && timeoutsFromElement(wish.timeouts),
    fallback: wish.fallback && given({ text: wish.fallback.text, transferTo: wish.fallback.transfer_to }),
    retryText: wish.retry_text,
    extendedEvents:
      typeof wish.extended_events === 'boolean' ? (wish.extended_events ? usualExtendedEvents : undefined) : wish.extended_events,
    transferTargets: wish.transfer_targets,
    recording: wish.recording,
    keepTimeline: wish.keep_timeline,
    redact: wish.redact,
    answeringMachineDetection: wish.answering_machine_detection,
    answerAfterSeconds: wish.answer_after_seconds,
  })

const timeoutsFromElement = (timeouts: NonNullable<FlowWish['timeouts']>): NonNullable<FlowSettings['timeouts']> =>
  given({
    attemptMs: timeouts.attempt_ms,
    totalMs: timeouts.total_ms,
    userInputSeconds: timeouts.user_input_seconds,
    silenceSeconds: timeouts.silence_seconds,
    maxCallSeconds: timeouts.max_call_seconds,
  })

/** The settings as the API shows them: everything but the key and the secrets. */
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

/** Without the fields that are undefined. */
export const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
