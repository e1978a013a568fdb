import { ApiError } from '#api/client.ts'
import { useRead } from '#api/use-service.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { fieldWords } from './field-words.ts'
import { text } from '../text.ts'

export interface ErrorText {
  message: string
  /** What the service said beyond its usual words, which it does in English only. */
  specifics?: string
}

/**
 * An error in the language of the person. The service speaks English; its texts in other languages are asked for when they are first
 * needed. A browser that gets no answer throws a TypeError whose words differ from browser to browser.
 */
export const useErrorText = (error: unknown): ErrorText => {
  const say = useText(text)
  const { language } = useLanguage()
  const translated = language === 'de' && error instanceof ApiError
  const german = useRead('getTranslations', { language: 'de_DE' }, { when: translated }).data
  const english = useRead('getTranslations', { language: 'en_US' }, { when: translated }).data
  if (error instanceof TypeError) return { message: say.unreachable }
  if (!(error instanceof Error)) return { message: String(error) }
  const details = error instanceof ApiError ? (error.body.details ?? []) : []
  if (details.length > 0) return { message: details.map(({ problem }) => fieldWords(problem, language)).join(' ') }
  const key = `error.${error instanceof ApiError ? error.body.code : ''}`
  const message = translated ? german?.[key] : undefined
  if (message === undefined) return { message: error.message }
  const usual = english?.[key] ?? ''
  const specifics = error.message.startsWith(usual) ? error.message.slice(usual.length).trim() : error.message
  return { message, ...(specifics !== '' && { specifics }) }
}
