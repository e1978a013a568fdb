import { Problem } from '@offhook/contract/problem.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { FlowSettings, Flow, FlowMedia } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { demoAssistant, isSocketAddress, isWebAddress } from '#core/kernel/webhook/web-address.ts'
import { isUnknownVoice, providerNamed, nameOfVoice } from '#core/speech/voices/voices.ts'
import { requireFittingVariables } from '@offhook/contract/assistant/variables.ts'
import { given } from './flow-element.ts'
import { readTarget } from './transfer-targets.ts'

/** Returns the settings in canonical form. Throws a Problem that names the field when a setting cannot work. */
export const checkSettings = async (
  tables: Tables,
  speech: Speech,
  account: Account,
  settings: FlowSettings,
  present: FlowSettings,
): Promise<FlowSettings> => {
  const { webhookUrl, websocketUrl, fallbackUrl, phoneNumber, language, tts, stt, fallback, transferTargets } = settings
  // The demo flow keeps its built-in endpoint when other settings change.
  if (webhookUrl !== demoAssistant || present.webhookUrl !== demoAssistant) requireAddress('webhookUrl', webhookUrl)
  requireAddress('fallbackUrl', fallbackUrl)
  if (websocketUrl !== undefined && !isSocketAddress(websocketUrl))
    throw Problem.field('websocketUrl', 'must be a ws or wss address without a user name')
  requireMedia(settings)
  requireFittingVariables('variables', settings.variables)
  requireVoice(speech, tts)
  requireWay(settings)
  if (phoneNumber !== undefined) await requireOwnNumber(tables, account.id, phoneNumber)
  const targets: string[] = []
  for (const [index, target] of (transferTargets ?? []).entries())
    targets.push(await readTarget(tables, account, `transfer_targets/${index}`, target, { prefixes: true }))
  return {
    ...settings,
    ...(language !== undefined && { language: languageTag('language', language) }),
    ...(tts?.language !== undefined && { tts: { ...tts, language: languageTag('tts/language', tts.language) } }),
    ...(stt?.languages && { stt: { ...stt, languages: stt.languages.map((tag, index) => languageTag(`stt/languages/${index}`, tag)) } }),
    ...(fallback && { fallback: await checkFallback(tables, account, fallback) }),
    ...(transferTargets && { transferTargets: targets }),
  }
}

const checkFallback = async (tables: Tables, account: Account, { text, transferTo }: NonNullable<FlowSettings['fallback']>) =>
  given({ text, transferTo: transferTo === undefined ? undefined : await readTarget(tables, account, 'fallback/transfer_to', transferTo) })

export const requireAddress = (field: string, address: string | undefined): void => {
  if (address !== undefined && !isWebAddress(address)) throw Problem.field(field, 'must be an http or https address without a user name')
}

/** Rejects unknown voices here, because a call would silently fall back to another voice. */
const requireVoice = (speech: Speech, tts: FlowSettings['tts']): void => {
  const provider = providerNamed(tts?.provider ?? 'embedded')
  const voice = nameOfVoice(tts?.voice)
  if (provider && voice !== undefined && isUnknownVoice(speech, provider, voice))
    throw Problem.field('tts/voice', 'is not known here', 'voice_unknown')
}

const byWebhook: readonly FlowSettings['protocol'][] = ['twilio', 'vapi']

/** Third-party protocols have one transport each. */
const requireWay = (settings: FlowSettings): void => {
  const { protocol = 'offhook', endpoint } = settings
  if (protocol === 'offhook' || endpoint === 'assistant') return
  const needed = byWebhook.includes(protocol) ? 'webhookUrl' : 'websocketUrl'
  if (settings[needed] === undefined) throw Problem.field(needed, `must be set: endpoints with the protocol ${protocol} are reached there`)
  const other = (['webhookUrl', 'websocketUrl', 'fallbackUrl'] as const).find((field) => field !== needed && settings[field] !== undefined)
  if (other) throw Problem.field(other, `must not be set: endpoints with the protocol ${protocol} are reached at ${needed} only`)
}

/** The value is sent as an HTTP header. */
export const requireHeaderValue = (field: string, value: string): void => {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) throw Problem.field(field, 'must consist of printable ASCII characters')
}

/** Rejects caller IDs that do not belong to the account: they would mislead callees. */
const requireOwnNumber = async (tables: Tables, accountId: string, digits: string): Promise<void> => {
  if (!/^[1-9]\d{1,14}$/.test(digits)) throw Problem.field('phone_number', 'must be an E.164 number')
  const number = await tables.numbers.findByE164(accountId, `+${digits}`)
  if (number?.state !== 'ACTIVE') throw Problem.field('phone_number', 'is no active number of this account')
}

/** Canonical spelling: `DE-de` becomes `de-DE`. */
export const languageTag = (field: string, tag: string): string => {
  try {
    const [canonical] = /^[a-z]{2,3}(?:-|$)/i.test(tag) ? Intl.getCanonicalLocales(tag) : []
    if (canonical !== undefined) return canonical
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw Problem.field(field, 'must be a language tag (BCP 47) such as de or en-GB')
}

/** Audio over the WebSocket, with all defaults resolved. */
export type Media = Required<FlowMedia> & { mode: 'audio' | 'both' }

/** Protocols with audio only, in one fixed format. */
const soundProtocols: readonly FlowSettings['protocol'][] = ['media_streams', 'openai_realtime']

/** Undefined for text-only flows, which all built-in assistants are. */
export const mediaOf = ({ protocol, media, endpoint }: FlowSettings): Media | undefined => {
  if (endpoint === 'assistant') return undefined
  const mode = media?.mode ?? 'text'
  if (soundProtocols.includes(protocol)) return { mode: mode === 'both' ? mode : 'audio', format: 'pcmu', rate: 8000 }
  if (mode === 'text') return undefined
  const format = media?.format ?? 'pcm16'
  return { mode, format, rate: media?.rate ?? (format === 'pcm16' ? 16_000 : 8000) }
}

/**
 * Turns fillers off in audio-only flows, because we cannot know whether they fit. Servers of third-party protocols handle barge-in
 * themselves, unless the flow sets a strategy.
 */
export const asSoundFlow = (flow: Flow): Flow => {
  const { settings } = flow
  if (mediaOf(settings)?.mode !== 'audio') return flow
  const bargeIn = settings.bargeIn ?? (soundProtocols.includes(settings.protocol) ? { strategy: 'manual' as const } : undefined)
  return { ...flow, settings: { ...settings, fillers: { off: true }, ...(bargeIn && { bargeIn }) } }
}

export const requireMedia = ({ media, protocol, websocketUrl, endpoint }: FlowSettings): void => {
  if (!media || endpoint === 'assistant') return
  if (websocketUrl === undefined) throw Problem.field('media', 'needs websocketUrl: sound goes over the WebSocket')
  const isFixed = soundProtocols.includes(protocol)
  if (protocol !== undefined && !isFixed) throw Problem.field('media', `protocol ${protocol} has no sound`)
  const { format = 'pcm16', rate } = media
  if (format !== 'pcm16' && rate !== undefined && rate !== 8000) throw Problem.field('media/rate', `must be 8000 with ${format}`)
  if (isFixed && (media.format ?? 'pcmu') !== 'pcmu') throw Problem.field('media/format', `must be pcmu with ${protocol}`)
}
