import type { Utterance } from '#core/kernel/ports/speech.ts'
import { localeOf } from './language-tags.ts'

const namespace = 'http://www.w3.org/2001/10/synthesis'
const attributes = `(?:[^<>"']|"[^<"]*"|'[^<']*')*`
const document = new RegExp(`^\\s*(?:<\\?xml[^>]*\\?>)?\\s*<speak(${attributes})>([\\s\\S]*)</speak>\\s*$`)
const tags = new RegExp(`<!--[\\s\\S]*?-->|<!\\[CDATA\\[[\\s\\S]*?\\]\\]>|<(/?)([\\w:-]+)${attributes}>`, 'g')

/** A document that Azure takes: with version, namespace and language, and with a voice around everything. Undefined when it cannot be one. */
export const azureSsml = (utterance: Utterance, voice: string): string | undefined => {
  const language = localeOf(utterance.language)
  if (!/^\s*<(\?xml|speak)\b/.test(utterance.text))
    return inSpeak('', language, inVoice(paced(escapeXml(utterance.text), utterance), voice))
  const [, given, content] = document.exec(utterance.text) ?? []
  if (given === undefined || content === undefined) return undefined
  return inSpeak(given, language, voiced(content, voice))
}

/** What the document says itself stays. */
const inSpeak = (given: string, language: string, content: string): string => {
  const usual = { version: '1.0', xmlns: namespace, 'xml:lang': language }
  const missing = Object.entries(usual).filter(([name]) => !new RegExp(`(^|\\s)${name}\\s*=`).test(given))
  return `<speak${given}${missing.map(([name, value]) => ` ${name}="${value}"`).join('')}>${content}</speak>`
}

const inVoice = (content: string, voice: string): string => `<voice name="${escapeXml(voice)}">${content}</voice>`

/** What is not in a voice element gets one; Azure allows none inside another. */
const voiced = (content: string, voice: string): string => {
  let result = ''
  let depth = 0
  let since = 0
  const take = (until: number, wrap: boolean): void => {
    const part = content.slice(since, until)
    since = until
    if (part.trim() !== '') result += wrap ? inVoice(part, voice) : part
  }
  for (const { 0: tag, 1: closing, 2: name, index } of content.matchAll(tags)) {
    if (name === undefined || tag.endsWith('/>')) continue
    if (closing === '' && name === 'voice' && depth === 0) take(index, true)
    depth += closing === '' ? 1 : -1
    if (closing !== '' && name === 'voice' && depth === 0) take(index + tag.length, false)
  }
  take(content.length, true)
  return result
}

const paced = (content: string, { speed = 1, pitch = 0 }: Utterance): string => {
  if (speed === 1 && pitch === 0) return content
  const rate = speed === 1 ? '' : ` rate="${signed((Math.min(2, Math.max(0.5, speed)) - 1) * 100)}%"`
  const height = pitch === 0 ? '' : ` pitch="${signed(Math.min(12, Math.max(-12, pitch)))}st"`
  return `<prosody${rate}${height}>${content}</prosody>`
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${Number(value.toFixed(2))}`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Without what no XML document may contain. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
