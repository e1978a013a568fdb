import { useRead } from '#api/use-service.ts'
import { useLanguage } from '#words/use-text.tsx'

/** The service says in English why a fax or a message failed; its own German words for it are asked for when they are first needed. */
export const useReason = (said: string | undefined): string | undefined => {
  const { language } = useLanguage()
  const translated = language === 'de' && said !== undefined
  const german = useRead('getTranslations', { language: 'de_DE' }, { when: translated }).data
  const english = useRead('getTranslations', { language: 'en_US' }, { when: translated }).data
  if (!translated || !german || !english) return said
  const key = Object.keys(english).find((one) => one.includes('.reason.') && english[one] === said)
  return key === undefined ? said : (german[key] ?? said)
}
