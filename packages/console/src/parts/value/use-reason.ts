import { useRead } from '#api/use-service.ts'
import { useLanguage } from '#words/use-text.tsx'

/** The service gives the reason of a failed fax or message in English; its German text is loaded at first use. */
export const useReason = (said: string | undefined): string | undefined => {
  const { language } = useLanguage()
  const translated = language === 'de' && said !== undefined
  const german = useRead('getTranslations', { language: 'de_DE' }, { when: translated }).data
  const english = useRead('getTranslations', { language: 'en_US' }, { when: translated }).data
  if (!translated || !german || !english) return said
  const key = Object.keys(english).find((one) => one.includes('.reason.') && english[one] === said)
  return key === undefined ? said : (german[key] ?? said)
}
