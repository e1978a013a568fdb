import { ApiError } from '#api/client.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import { fieldWords } from './field-words.ts'
import { useRead } from '#api/use-service.ts'

interface ErrorText {
  message: string
  /** Details beyond the service's standard text, in English only. */
  specifics?: string
}

/**
 * An error in the person's language. The service writes English; its translations are loaded at first use. A failed fetch throws a
 * TypeError whose text depends on the browser.
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
