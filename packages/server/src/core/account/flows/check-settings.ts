import { Problem } from '@offhook/contract/problem.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { demoAssistant, isSocketAddress, isWebAddress } from '#core/kernel/webhook/web-address.ts'
import { isUnknownVoice } from '#core/speech/voices/known-voices.ts'
import { providerNamed } from '#core/speech/voices/providers.ts'
import { nameOfVoice } from '#core/speech/voices/voices.ts'
import { given } from './flow-element.ts'
import { requireMedia } from './flow-media.ts'
import { readTarget } from './transfer-targets.ts'

/** The settings in the one form in which they are kept. Throws a Problem that names the field when something could not work. */
export const checkSettings = async (
  tables: Tables,
  speech: Speech,
  account: Account,
  settings: FlowSettings,
  present: FlowSettings,
): Promise<FlowSettings> => {
  const { webhookUrl, websocketUrl, fallbackUrl, phoneNumber, language, tts, stt, fallback, transferTargets } = settings
  // The demo flow keeps its own endpoint when something else about it is changed.
  if (webhookUrl !== demoAssistant || present.webhookUrl !== demoAssistant) requireAddress('webhookUrl', webhookUrl)
  requireAddress('fallbackUrl', fallbackUrl)
  if (websocketUrl !== undefined && !isSocketAddress(websocketUrl))
    throw Problem.field('websocketUrl', 'must be a ws or wss address without a user name')
  requireMedia(settings)
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

/** In a call another voice steps in, and nobody knows why it sounds otherwise: so it is said before. */
const requireVoice = (speech: Speech, tts: FlowSettings['tts']): void => {
  const provider = providerNamed(tts?.provider ?? 'embedded')
  const voice = nameOfVoice(tts?.voice)
  if (provider && voice !== undefined && isUnknownVoice(speech, provider, voice))
    throw Problem.field('tts/voice', 'is not known here', 'voice_unknown')
}

const byWebhook: readonly FlowSettings['protocol'][] = ['twilio', 'vapi']

/** Other systems have one way each. */
const requireWay = (settings: FlowSettings): void => {
  const { protocol = 'offhook', endpoint } = settings
  if (protocol === 'offhook' || endpoint === 'assistant') return
  const needed = byWebhook.includes(protocol) ? 'webhookUrl' : 'websocketUrl'
  if (settings[needed] === undefined) throw Problem.field(needed, `must be set: endpoints with the protocol ${protocol} are reached there`)
  const other = (['webhookUrl', 'websocketUrl', 'fallbackUrl'] as const).find((field) => field !== needed && settings[field] !== undefined)
  if (other) throw Problem.field(other, `must not be set: endpoints with the protocol ${protocol} are reached at ${needed} only`)
}

/** It becomes a header. */
export const requireHeaderValue = (field: string, value: string): void => {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) throw Problem.field(field, 'must consist of printable ASCII characters')
}

/** A caller ID that is not the account's own would be a lie to the people called. */
const requireOwnNumber = async (tables: Tables, accountId: string, digits: string): Promise<void> => {
  if (!/^[1-9]\d{1,14}$/.test(digits)) throw Problem.field('phone_number', 'must be the digits of an E.164 number without the plus sign')
  const number = await tables.numbers.findByE164(accountId, `+${digits}`)
  if (number?.state !== 'ACTIVE') throw Problem.field('phone_number', 'is no active number of this account')
}

/** In its canonical spelling: `DE-de` becomes `de-DE`. */
export const languageTag = (field: string, tag: string): string => {
  try {
    const [canonical] = /^[a-z]{2,3}(?:-|$)/i.test(tag) ? Intl.getCanonicalLocales(tag) : []
    if (canonical !== undefined) return canonical
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw Problem.field(field, 'must be a language tag (BCP 47) such as de or en-GB')
}
