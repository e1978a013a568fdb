import type { Language } from '#words/languages.ts'

/** 2026-12-01 in local format: 01.12.2026, 01/12/2026. */
export const writeDay = (day: string, language: Language): string => {
  const [year, month, date] = day.split('-')
  return date === undefined ? '' : [date, month, year].join(language === 'de' ? '.' : '/')
}

/** Parses a local date to 2026-12-01; empty for empty, undefined if invalid. */
export const readDay = (typed: string, language: Language): string | undefined => {
  if (typed.trim() === '') return ''
  const parts = (language === 'de' ? /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/ : /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/).exec(typed.trim())
  if (!parts) return isDay(typed.trim()) ? typed.trim() : undefined
  const [, date = '', month = '', year = ''] = parts
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  return isDay(day) ? day : undefined
}

/** Rejects the 31st of February. */
const isDay = (day: string): boolean => {
  const moment = new Date(`${day}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day)
}
